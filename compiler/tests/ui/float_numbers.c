/* Numbers of fenv.h that are kept, and that are not. */
#include <fenv.h>
#include <pc3.h>

static int raised;

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
    pc3_checkpoint();
    fesetround(direction);
    if (fetestexcept(FE_INEXACT))
        sum += 1;
    pc3_checkpoint();
    return sum + raised > 3 && fegetround() == FE_TONEAREST;
}
