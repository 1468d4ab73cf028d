/* Numbers of fenv.h that are kept, and that are not. */
#include <fenv.h>
#include <pc3.h>

static int raised, mode;
static fexcept_t flags;
static const int fixed[] = {FE_DOWNWARD, FE_UPWARD};
static int never_written[] = {FE_DOWNWARD, FE_UPWARD};
static int changed[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD};

static double up(double a, double b)
{
    int before = fegetround();
    fesetround(FE_UPWARD);
    double r = a / b;
    fesetround(before);
    return r;
}

int main(void)
{
    int direction = fegetround();
    double sum = up(1, 3);
    pc3_checkpoint();
    raised = fetestexcept(FE_ALL_EXCEPT);
    fegetexceptflag(&flags, FE_ALL_EXCEPT);
    mode = raised ? FE_OVERFLOW | FE_INVALID : 0;
    changed[0] = changed[1];
    pc3_checkpoint();
    fesetround(direction);
    fesetround(fixed[mode & 1] + never_written[0]);
    fesetexceptflag(&flags, mode);
    if (fetestexcept(FE_INEXACT))
        sum += 1;
    pc3_checkpoint();
    return sum + raised > 3 && fegetround() == FE_TONEAREST;
}
