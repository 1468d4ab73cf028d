/* pc3-test: seq */
/* A recursion of so many levels that a small stack does not hold them. */
#include <stdio.h>

static long down(int level, long x)
{
    long a = x * 3 + level, b = a ^ level, below;
    if (level == 0) {
#pragma pc3 checkpoint
        return x & 0xffff;
    }
    below = down(level - 1, (a + b) & 0xffff);
    return (below + a + b) & 0xffff;
}

int main(void)
{
    printf("%ld\n", down(40000, 1));
    return 0;
}
