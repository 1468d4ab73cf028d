/* pc3-test: seq */
/* What a function returns is another's result, and something is still cleaned up behind it. */
#include "check.h"

static void put(int *p)
{
    printf("put %d\n", *p);
}

static int step(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static int whole(int k)
{
    __attribute__((cleanup(put))) int v = k;
    step(1);
    return step(v);
}

static int part(int k)
{
    if (k > 2) {
        __attribute__((cleanup(put))) int v = 10 * k;
        return step(v + 1);
    }
    return step(k);
}

static void nothing(int k)
{
    __attribute__((cleanup(put))) int v = 100 * k;
    step(k);
}

int main(void)
{
    for (int k = 1; k < 5; k++) {
        nothing(k);
        printf("%d %d\n", whole(k), part(k));
    }
    return 0;
}
