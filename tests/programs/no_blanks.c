/* pc3-test: seq */
/* Types that are defined where they are used, with no blank behind them; names that hide outer ones. */
#include "check.h"

struct pair{int a, b;}x = {7, 8};
enum{FIRST = 3, SECOND}e = SECOND;
union both{int i; unsigned char c[4];}u = {17};

static int scopes(int n)
{
    int sum = 0;
    for (struct{int at, step;}k = {0, 2}; k.at < n; k.at += k.step) {
#pragma pc3 checkpoint
        struct pair{long a, b, c;}x = {k.at, n, 1};
        enum{FIRST = 30, LAST}e = LAST;
        union both{short s; unsigned char c[2];}u = {0}, *p = &u;
        const struct{int v;}fixed = {5}, *q = &fixed;
        struct{struct{int deep;}in; int of[2];}y[2] = {{{1}, {2, 3}}, {{4}, {5, n}}};
        p->c[0] = p->c[1] = (unsigned char)k.at;
        sum += (int)(x.a + x.b + x.c) + (int)e + FIRST + u.s + q->v + y[1].in.deep + y[1].of[1];
#pragma pc3 checkpoint
        show("inner", sum + (int)sizeof x / (int)sizeof(long));
    }
    return sum + x.a + (int)e + u.i;
}

static struct{int v;}give(int n)
{
    static struct{int v;}kept[2];
#pragma pc3 checkpoint
    kept[n % 2].v += n;
    return *(__typeof__(give(0)) *)&kept[n % 2];
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        show("scopes", scopes(i));
        show("given", give(i).v);
    }
    return finish();
}
