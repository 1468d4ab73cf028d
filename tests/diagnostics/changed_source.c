/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=2
// run: PC3_RESTART=latest as=POINT
// run: PC3_RESTART=latest as=CALL
// run: PC3_RESTART=latest as=KEPT
// run: PC3_RESTART=latest as=GLOBAL
// run: PC3_RESTART=latest as=LOCAL
// run: PC3_RESTART=latest
#include <stdio.h>

static int sum;
#ifdef GLOBAL
static int more;
#endif

#ifdef KEPT
static int *kept;
#endif

static void add(int *to, int n) {
    *to += n;
}

#ifdef CALL
static void reach(int i) {
    if (i > 9) {
#pragma pc3 checkpoint
    }
}
#endif

static void step(int i) {
#ifdef POINT
#pragma pc3 checkpoint
#endif
#ifdef CALL
    reach(i);
#else
#pragma pc3 checkpoint
#endif
    add(&sum, i);
}

int main(void) {
    int own = 0;
    for (int i = 0; i < 3; i++) {
#ifdef LOCAL
        int before = sum;
#endif
        step(i);
#ifdef LOCAL
        own += before;
#endif
#ifdef KEPT
        kept = &own;
        *kept += i;
#endif
    }
#ifdef GLOBAL
    more = sum;
#endif
    printf("%d\n", sum + own);
    return 0;
}
