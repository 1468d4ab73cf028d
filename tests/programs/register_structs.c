/* pc3-test: seq */
/* Structs and unions declared `register`: their addresses cannot be asked for. */
#include "check.h"

struct pair {
    int a;
    short b[3];
};
union bits {
    unsigned all;
    int as_int;
};

static struct pair next(register struct pair p, int i)
{
    p.a += i;
#pragma pc3 checkpoint
    p.b[1] = (short)(p.b[1] + p.a);
    return p;
}

static int all(int n)
{
    register struct pair p = {n, {1, 2, 3}};
    register const struct pair fixed = p;
    register union bits u, *q = 0;
    register int i;
    u.all = 7;
    for (i = 0; i < n; i++) {
        p = next(p, i);
#pragma pc3 checkpoint
        u.all = u.all * 3 + (unsigned)p.b[1];
        printf("%d %d %u %d\n", p.a, p.b[1], u.all, fixed.a);
    }
    return (int)(u.all & 0xffff) + fixed.b[2] + (q != 0);
}

int main(void)
{
    show("four", all(4));
    show("seven", all(7));
    return finish();
}
