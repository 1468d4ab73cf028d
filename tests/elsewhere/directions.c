/* pc3-test: seq */
/* A direction of rounding that is kept as fenv.h numbers it: x86 and others. */
#include <fenv.h>
#include <stdio.h>

static int mode = FE_UPWARD;

int main(void) {
    volatile double one = 1, three = 3;
    mode += one > three;
#pragma pc3 checkpoint
    int done = fesetround(mode);
    double up = one / three;
    fesetround(FE_TONEAREST);
    printf("%d %d\n", done, up > one / three);
    return 0;
}
