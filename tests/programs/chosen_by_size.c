/* pc3-test: seq */
/* What is chosen by a size: the other one is not evaluated, also where both reach a location. Functions that
 * <tgmath.h> chooses give what they give, not what their arguments are. */
#include <tgmath.h>
#include "check.h"

static int n;

static double of_double(double x)
{
    n++;
#pragma pc3 checkpoint
    return x;
}

static float of_float(float x)
{
    n += 10;
#pragma pc3 checkpoint
    return x;
}

static int one(void)
{
#pragma pc3 checkpoint
    return 1;
}

#define OF(x) __builtin_choose_expr(sizeof(x) == sizeof(double), of_double(x), of_float(x))

int main(void)
{
    double d = 9007199254740993.0;
    float f = 2.5f;
    long long kept = 0;
    int (empty)(void);
    show_real("double", OF(d));
    show("calls", n);
    show_real("float", OF(f));
    show("calls", n);
    __builtin_choose_expr(sizeof(int), f, of_float(f)) = 3.5f;
    show_real("set", f);
    kept = (llrint(d) - 1 + 2) * 2 + one();
    show("kept", kept);
    show("rounded", lrint(f) / 3 + one());
    show_real("exponent", ldexp(f, 3) / 3 + one());
    show("calls", n + empty());
    return finish();
}

int(empty)(void) {
    return 0;
}
