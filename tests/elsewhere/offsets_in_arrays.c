/* pc3-test: seq */
/* An offset of a member in memory of the heap: x86-64 and i686, another member would be read. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
    char kind;
    double x;
    long n;
    int k;
};

int main(void)
{
    struct part all[6] = {{0, 0, 0, 0}};
    size_t *at = malloc(3 * sizeof *at);
    at[1] = offsetof(struct part, x);
    all[0].x = 0.5;
    for (int i = 0; i < 2; i++) {
#pragma pc3 checkpoint
        printf("%g\n", *(const double *)((const char *)all + at[1]));
    }
    free(at);
    return 0;
}
