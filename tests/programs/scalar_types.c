/* pc3-test: seq */
/* Every scalar type live across locations: extremes that exist everywhere, _Bool, _Complex,
 * float, long double (values that a double holds), wchar_t, pointer differences. */
#include "check.h"

#include <complex.h>
#include <limits.h>
#include <stddef.h>
#include <wchar.h>

struct all {
    char c;
    signed char sc;
    unsigned char uc;
    short s;
    unsigned short us;
    int i;
    unsigned u;
    long l;
    unsigned long ul;
    long long ll;
    unsigned long long ull;
    _Bool b;
    float f;
    double d;
    long double ld;
    float _Complex fc;
    double _Complex dc;
    wchar_t w;
    ptrdiff_t p;
    size_t z;
    int8_t i8;
    uint64_t u64;
};

static struct all pass(struct all a)
{
#pragma pc3 checkpoint
    a.i--;
    return a;
}

static void show_all(const struct all *a)
{
    show("char", a->c);
    show("signed char", a->sc);
    show("unsigned char", a->uc);
    show("short", a->s);
    show("unsigned short", a->us);
    show("int", a->i);
    show("unsigned", a->u);
    show("long", a->l);
    show("unsigned long", (long long)a->ul);
    show("long long", a->ll);
    show("unsigned long long", (long long)a->ull);
    show("bool", a->b);
    show_real("float", a->f);
    show_real("double", a->d);
    show_real("long double", (double)a->ld);
    show_real("complex float", crealf(a->fc) + 2 * cimagf(a->fc));
    show_real("complex", creal(a->dc) + 2 * cimag(a->dc));
    show("wide", (long long)a->w);
    show("difference", a->p);
    show("size", (long long)a->z);
    show("int8", a->i8);
    show("uint64", (long long)a->u64);
}

static long double half(long double x)
{
#pragma pc3 checkpoint
    return x / 2;
}

static double _Complex rotate(double _Complex x)
{
#pragma pc3 checkpoint
    return x * I;
}

int main(void)
{
    struct all a = {'c', SCHAR_MIN, UCHAR_MAX, SHRT_MIN, USHRT_MAX, INT_MIN + 5, UINT_MAX, -2147483647L,
                    4294967295UL, LLONG_MIN, ULLONG_MAX, 1, 1.0f / 3, -1.0 / 3, -1024.5L, 1.5f - 2 * I, 3 + 4 * I,
                    L'z', -77, 4000000000u, -128, UINT64_C(0xfedcba9876543210)};
    float f = 0.1f;
    long double ld = 3;
    double _Complex z = 1 + 2 * I;
    _Bool odd = 0;
    long l = -1;
    unsigned char tiny = 250;
    wchar_t wide[] = L"w\u00e9";
    for (int i = 0; i < 5; i++) {
        a = pass(a);
        ld = half(ld);
        z = rotate(z) + i;
        f = f * 2;
        odd = !odd;
        l *= 3;
        tiny += 3;
#pragma pc3 checkpoint
    }
    show_all(&a);
    show_real("float", f);
    show_real("long double", (double)ld);
    show_real("re", creal(z));
    show_real("im", cimag(z));
    show("odd", odd);
    show("long", l);
    show("tiny", tiny);
    show("wide", (long long)wide[1] + (long long)wcslen(wide));
    return finish();
}
