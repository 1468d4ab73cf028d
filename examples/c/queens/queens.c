/* pc3-test: seq args=8 */
/* Counts the ways to place N queens on an N x N board.
 *
 * Usage: queens [N]: N from 1 to 15 (default 10).
 *
 * Each level of the recursion keeps its queen in a local variable, linked to the queen of the
 * level above: the board exists only on the call stack. */
#include <stdio.h>
#include <stdlib.h>

static const long known[] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184};
enum { LARGEST = sizeof known / sizeof *known };

struct queen {
    const struct queen *above;
    int row, column;
};

static int attacked(const struct queen *queens, int row, int column)
{
    for (; queens; queens = queens->above) {
        int rows = row - queens->row, columns = column - queens->column;
        if (columns == 0 || columns == rows || columns == -rows)
            return 1;
    }
    return 0;
}

/* Solutions that have the given queens in the rows before `row`. */
static long count(const struct queen *above, int row, int n)
{
#pragma pc3 checkpoint
    if (row == n)
        return 1;
    long solutions = 0;
    for (int column = 0; column < n; column++)
        if (!attacked(above, row, column)) {
            struct queen queen = {above, row, column};
            solutions += count(&queen, row + 1, n);
        }
    return solutions;
}

int main(int argc, char **argv)
{
    char *end = "";
    long n = argc > 1 ? strtol(argv[1], &end, 10) : 10;
    if (argc > 2 || *end || n < 1 || n > LARGEST) {
        fprintf(stderr, "usage: queens [N], N from 1 to %d\n", LARGEST);
        return 2;
    }

    long total = 0;
    for (int column = 0; column < n; column++) {
        struct queen first = {NULL, 0, column};
        long solutions = count(&first, 1, (int)n);
        printf("first queen in column %2d: %ld\n", column + 1, solutions);
        total += solutions;
    }
    printf("%ld queens: %ld solutions\n", n, total);
    int ok = total == known[n - 1];
    printf("VERIFICATION %s\n", ok ? "SUCCESSFUL" : "FAILED");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
