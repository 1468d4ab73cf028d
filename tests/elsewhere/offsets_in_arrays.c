/* pc3-test: seq */
/* Offsets of members, sums of them and of sizes, in arrays of the heap and others: x86-64 and i686, another member would be read. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
    char kind;
    double x;
    long n;
    int k;
};

static void fill(size_t *to, size_t from)
{
    to[0] = from;
    to[1] = from + offsetof(struct part, k);
}

int main(void)
{
    struct part all[6] = {{0, 0, 0, 0}};
    size_t first[2] = {0, sizeof(struct part) + offsetof(struct part, n)}, second[2];
    size_t *third = malloc(3 * sizeof *third);
    third[1] = offsetof(struct part, x);
    fill(second, 2 * sizeof(struct part));
    all[1].n = 12;
    all[2].k = 7;
    all[0].x = 0.5;
    for (int i = 0; i < 2; i++) {
#pragma pc3 checkpoint
        const char *at = (const char *)all;
        printf("%ld %d %g\n", *(const long *)(at + first[1]), *(const int *)(at + second[1]), *(const double *)(at + third[1]));
    }
    free(third);
    return 0;
}
