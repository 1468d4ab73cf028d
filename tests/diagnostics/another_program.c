/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=2
// run: PC3_RESTART=latest as=CHANGED
#include <stdio.h>

#ifdef CHANGED
static int limit = 3;
#define step stride
#else
#define limit 3
#endif

static int sum;

static void step(int i) {
#pragma pc3 checkpoint
    sum += i;
}

int main(void) {
    for (int i = 0; i < limit; i++)
        step(i);
    printf("%d\n", sum);
    return 0;
}
