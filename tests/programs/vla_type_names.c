/* pc3-test: seq */
/* Values that only a type name or a designator mentions: in sizeof, offsetof, casts, pointers in calls and loops. */
#include "check.h"

#include <stddef.h>

static int width(int n)
{
#pragma pc3 checkpoint
    return n + 2;
}

static double corner(int rows, int columns, double (*a)[columns])
{
    return a[rows - 1][columns - 1];
}

static long sizes(int n, int m)
{
    long sum = 0;
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        sum += (long)sizeof(char[n][m]) + (long)sizeof(int[n]);
        sum += (long)sizeof(char[width(i)][m]);
    }
    return sum;
}

struct text {
    int length;
    char held[40];
};

static size_t place(int i)
{
#pragma pc3 checkpoint
    return offsetof(struct text, held[i]);
}

static size_t far_place(int i)
{
    return offsetof(struct text, held[width(i)]);
}

static double grid(int rows, int columns)
{
    double *flat = malloc(sizeof(double[rows][columns]));
    for (int k = 0; k < rows * columns; k++)
        flat[k] = k;
#pragma pc3 checkpoint
    double sum = ((double (*)[columns])flat)[rows - 1][0];
#pragma pc3 checkpoint
    sum += corner(rows, columns, (double (*)[columns])flat) + width(rows);
    double *copy = malloc(sizeof(double[rows][columns]));
#pragma pc3 checkpoint
    memcpy(copy, flat, sizeof(double[rows][columns]));
    sum += copy[rows * columns - 1];
    free(copy);
    free(flat);
    return sum;
}

static void kinds(int n)
{
    double row[n];
    row[0] = n;
#pragma pc3 checkpoint
    puts(_Generic(row[0], float: "float", double: "double", default: row[0] > 0 ? "more" : "else"));
    printf("%d %zu\n", __builtin_types_compatible_p(__typeof__(row[0]), double),
           sizeof(_Generic(row[0], int: row, default: row[0])));
}

int main(int argc, char **argv)
{
    int n = argc + 4, m = argc + 1;
    (void)argv;
#pragma pc3 checkpoint
    printf("%ld\n", sizes(n, m));
#pragma pc3 checkpoint
    printf("%zu %zu\n", place(n), far_place(m));
    printf("%zu %g\n", sizeof(short[n]), grid(n, m));
    kinds(n);
    return 0;
}
