/* pc3-test: seq */
/* Functions that only pass a call on: their frames may be gone when a checkpoint is taken. */
#include "check.h"

static int work(int n, const int *v)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
#pragma pc3 checkpoint
        s = 3 * s + v[i];
    }
    return s;
}

int pass_on(int n, const int *v)
{
    return work(n, v);
}

int twice(int n, const int *v)
{
    return n > 2 ? pass_on(n, v) : pass_on(n, v + 1);
}

static void discard(int n, const int *v)
{
    twice(n, v);
}

static int even(int n, const int *v);
static int odd(int n, const int *v)
{
    if (n == 0)
        return work(1, v);
    return even(n - 1, v + 1);
}
static int even(int n, const int *v)
{
    if (n == 0)
        return work(2, v);
    return odd(n - 1, v + 1);
}

int main(void)
{
    const int v[6] = {1, 4, 1, 5, 9, 2};
    show("work", pass_on(4, v));
    discard(3, v);
    show("twice", twice(2, v) + twice(3, v));
    show("even", even(3, v));
    show("odd", odd(3, v));
    int (*by_pointer)(int, const int *) = v[0] ? twice : pass_on;
    show("pointer", by_pointer(3, v));
    return finish();
}
