/* pc3-test: seq */
/* Sums of sizes and of offsets in arrays: x86-64 and i686, another member would be read. */
#include <stddef.h>
#include <stdio.h>

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
    fill(second, 2 * sizeof(struct part));
    all[1].n = 12;
    all[2].k = 7;
    for (int i = 0; i < 2; i++) {
#pragma pc3 checkpoint
        const char *at = (const char *)all;
        printf("%ld %d\n", *(const long *)(at + first[1]), *(const int *)(at + second[1]));
    }
    return 0;
}
