/* pc3-test: seq */
/* A pointer in front of its array, where another array lies: to the other one, as far as its number tells. */
#include <stdio.h>

static struct {
    double below[4];
    long between;
    double from_two[4];
} s = {{1, 2, 3, 4}, 5, {6, 7, 8, 9}};

static double *moved;

int main(void)
{
    int i;
    moved = s.from_two - 2;
    for (i = 2; i < 6; i++) {
#pragma pc3 checkpoint
        moved[i] += i;
    }
    printf("%g %g\n", s.below[3], moved[3]);
    return 0;
}
