/* pc3-test: seq */
/* Complex numbers: parts by their addresses, and operands in the compiler's order when a call changes a variable among them. */
#include "check.h"
#include <complex.h>

static double _Complex whole = 1;
static double real = 2;

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static int changing(void)
{
    whole += 10;
    real += 100;
    return tick(0);
}

static double _Complex twisting(void)
{
    __imag__ whole -= 3;
    return changing();
}

static void show_number(const char *what, double _Complex z)
{
    show_real(what, creal(z));
    show_real(what, cimag(z));
}

static void operands(void)
{
    show_number("sum", whole + changing());
    show_number("product", whole * (double)changing());
    show_number("two", whole + twisting());
    show_number("real first", real + twisting());
    show_number("real last", twisting() + real);
    show_number("times", real * twisting());
    show_number("less", whole - changing());
    show("equal", whole == changing());
}

static void parts(void)
{
    double _Complex z = 1 + 2i;
    double *re = &__real__ z, *im = &__imag__ z;
#pragma pc3 checkpoint
    *re += 5;
    tick(0);
    *im *= 2;
    show_number("by address", z);
    show_number("before", z + ({ __imag__ z = tick(4); 1.0; }));
    __real__ z += tick(1);
    (__imag__ z)++;
#pragma pc3 checkpoint
    show_number("after", z);
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        operands();
        parts();
    }
    return finish();
}
