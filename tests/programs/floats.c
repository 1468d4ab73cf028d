/* pc3-test: seq flags=-frounding-math */
/* The floating-point environment: rounding, what has happened, what is held. */
#include "check.h"
#include <fenv.h>

static volatile double one = 1, three = 3, ten = 10, tiny = 1e-300, zero;

static int name(int direction)
{
    return direction == FE_TONEAREST ? 0 : direction == FE_TOWARDZERO ? 1 : direction == FE_UPWARD ? 2 : 3;
}

static int names(int flags)
{
    return !!(flags & FE_INVALID) + 2 * !!(flags & FE_DIVBYZERO) + 4 * !!(flags & FE_OVERFLOW) +
           8 * !!(flags & FE_UNDERFLOW) + 16 * !!(flags & FE_INEXACT);
}

static void directions(void)
{
    double a = 1, b = 3;
    fesetround(FE_UPWARD);
#pragma pc3 checkpoint
    show_real("up", one / three);
    show_real("up", a / b);
    show_real("minus", -one / ten);
    fesetround(FE_DOWNWARD);
#pragma pc3 checkpoint
    show_real("down", one / three);
    show_real("down", b * .1);
    show("is", name(fegetround()));
    fesetround(FE_TOWARDZERO);
#pragma pc3 checkpoint
    show_real("to zero", -one / three);
    show("is", name(fegetround()));
    fesetround(FE_TONEAREST);
#pragma pc3 checkpoint
    show_real("nearest", one / three);
    show("is", name(fegetround()));
}

static void flags(void)
{
    feclearexcept(FE_ALL_EXCEPT);
#pragma pc3 checkpoint
    show("none", names(fetestexcept(FE_ALL_EXCEPT)));
    volatile double r = one / zero;
#pragma pc3 checkpoint
    show("division", names(fetestexcept(FE_ALL_EXCEPT)));
    r = tiny * tiny;
#pragma pc3 checkpoint
    show("underflow", names(fetestexcept(FE_ALL_EXCEPT)));
    feclearexcept(FE_DIVBYZERO | FE_INEXACT);
    feraiseexcept(FE_INVALID);
#pragma pc3 checkpoint
    show("invalid", names(fetestexcept(FE_ALL_EXCEPT)));
    feclearexcept(FE_ALL_EXCEPT);
    r = zero;
#pragma pc3 checkpoint
    show("none", names(fetestexcept(FE_ALL_EXCEPT)));
    show_real("r", r);
}

static double below(int n)
{
    if (n == 0) {
#pragma pc3 checkpoint
        return one / ten;
    }
    return below(n - 1) + one / n;
}

static void deep(void)
{
    fesetround(FE_UPWARD);
    show_real("deep", below(5));
    fesetenv(FE_DFL_ENV);
#pragma pc3 checkpoint
    show_real("deep", below(5));
    show("is", name(fegetround()));
}

int main(void)
{
    directions();
    flags();
    deep();
    return finish();
}
