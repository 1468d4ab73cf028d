/* pc3-test: seq flags=-std=gnu2x,-Wno-implicit-fallthrough */
/* Declarations behind labels, labels at the end of blocks, digits with separators, parameters without names or in front of their list. */
#include "check.h"

typedef int number;
typedef struct { int n; } *pointer;

static int pause_here(int n)
{
#pragma pc3 checkpoint
    return n;
}

static int diagonal(int n; int a[n][n], int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += pause_here(a[i][i]) + (int)sizeof(a[0]);
    return sum;
}

static int unnamed(int, [[maybe_unused]] int n)
{
    return pause_here(n);
}

static int by_case(int i)
{
    int sum = 0;
    switch (i) {
    case 0:
        int x = pause_here(3);
        sum += x;
        break;
    case 1:
        number y = 4;
        sum += pause_here(y);
    case 2:
        number *q = &sum;
        *q += pause_here(2);
        break;
    case 3:
        [[maybe_unused]] number z = 5, *r = &z;
        sum += pause_here(*r);
        break;
    default:
        pointer p = NULL;
        sum += !p;
        goto next;
    next:
        struct { int k; ; } s = { i };
        sum += pause_here(s.k);
    }
    if (sum > 1'000)
        goto end;
    sum += 0x1'0 + unnamed(1, 2);
end:
    number done = sum;
    return done;
}

int main(void)
{
    int a[2][2] = { { 1, 2 }, { 3, 4 } };
    for (int i = 0; i < 6; i++) {
        if (i == 5)
            goto last;
        show("case", by_case(i));
        show("diagonal", diagonal(a, 2) + i);
    last:
    }
    return finish();
}
