/* pc3-test: seq */
/* Several calls in one expression, under comma, &&, ||, ?: and assignment operators.  Only
 * expressions whose value does not depend on C's unspecified order of evaluation. */
#include "check.h"

static int calls;

static int f(int x)
{
    calls++;
#pragma pc3 checkpoint
    return x + 1;
}

static int g(int a, int b, int c)
{
    int before = f(a);
#pragma pc3 checkpoint
    return before * 100 + b * 10 + c;
}

static long long wide(long long x)
{
#pragma pc3 checkpoint
    return x * 3000000000LL;
}

static double real(double x)
{
#pragma pc3 checkpoint
    return x / 4;
}

static int *slot(int *array, int i)
{
#pragma pc3 checkpoint
    return &array[i];
}

int main(void)
{
    int a[5] = {1, 2, 3, 4, 5}, i = 0;
    show("nest", f(f(f(1) * f(2)) + f(3)));
    show("arguments", g(f(1), f(2), g(f(0), f(1), f(2))));
    show("and", f(0) && f(-1) && f(9));
    show("or", f(-1) || f(2) || f(9));
    show("mixed", (f(-1) || f(0)) && !(f(-1) && f(7)));
    show("calls", calls);
    show("choice", f(-1) ? f(10) : f(20) ? f(30) : f(40));
    show("comma", (i = f(4), i += f(i), i * f(0)));
    i += f(1) + (i > 5 ? f(2) : f(3)) * f(4);
    show("compound", i);
    *slot(a, f(0)) += f(*slot(a, 2));
    *slot(a, 4) <<= f(1);
    a[f(1)] = a[f(2)] - a[f(-1)];
    for (int k = 0; k < 5; k++)
        show("array", a[k]);
    show("wide", wide(wide(1) / 1000000 + f(1)) + f(2));
    show_real("real", real(real(3) + f(2)) * (f(0) ? real(1) : 2));
    show("unsigned", (long long)((unsigned)f(-3) >> 1) + (unsigned char)f(299));
    show("sign", -f(3) + ~f(4) + !f(5));
    i = f(1) == f(1) ? (f(2), f(3), f(4)) : f(5);
    show("last", i);
    if ((i = f(i)) > 3 && (i = f(i) + f(i)) > 8 && f(i) != 0)
        show("chain", i);
    a[i % 5 + 0 * f(0)]++;
    int same = i++ + f(0);
    show("post", same * 100 + i);
    show("calls", calls);
    return finish();
}
