/* pc3-test: seq */
/* Arguments of more than a word behind an ellipsis, read after locations. */
#include "check.h"

#include <complex.h>
#include <stdarg.h>

struct byte { char c; };
struct three { char c[3]; };
struct pair { short a, b; };
struct wide { long long a, b; };
struct mixed { double d; int i; const char *s; };
struct floats { float a, b, c; };
struct four { double v[4]; };
struct five { double v[5]; };
struct big { int v[11]; const struct big *self; };
struct one { double d; };
struct small { float f; };
union either { int i; float f; };
struct bits { unsigned a : 3, b : 11; };

static void pause_here(void)
{
#pragma pc3 checkpoint
    check_sum += 1;
}

static void tell(const char *kinds, va_list args)
{
    for (; *kinds; kinds++) {
        pause_here();
        switch (*kinds) {
        case 'i': show("int", va_arg(args, int)); break;
        case 'd': show_real("double", va_arg(args, double)); break;
        case 'L': show_real("long double", (double)va_arg(args, long double)); break;
        case 'b': show("byte", va_arg(args, struct byte).c); break;
        case '3': {
            struct three t = va_arg(args, struct three);
            pause_here();
            show("three", t.c[0] * 10000 + t.c[1] * 100 + t.c[2]);
            break;
        }
        case 'p': {
            struct pair p = va_arg(args, struct pair);
            show("pair", p.a * 1000 + p.b);
            break;
        }
        case 'w': {
            struct wide w = va_arg(args, struct wide);
            show("wide", w.a * 7 + w.b);
            break;
        }
        case 'm': {
            struct mixed m = va_arg(args, struct mixed);
            show_real("mixed", m.d * m.i);
            show_text("mixed", m.s);
            break;
        }
        case 'f': {
            struct floats f = va_arg(args, struct floats);
            show_real("floats", f.a * 100 + f.b * 10 + f.c);
            break;
        }
        case '4': {
            struct four f = va_arg(args, struct four);
            show_real("four", f.v[0] + 2 * f.v[1] + 4 * f.v[2] + 8 * f.v[3]);
            break;
        }
        case '5': {
            struct five f = va_arg(args, struct five);
            show_real("five", f.v[0] + 2 * f.v[1] + 4 * f.v[2] + 8 * f.v[4]);
            break;
        }
        case 'B': {
            struct big b = va_arg(args, struct big);
            show("big", b.v[0] + b.v[10] + b.self->v[3]);
            break;
        }
        case '1': show_real("one", va_arg(args, struct one).d); break;
        case 's': show_real("small", va_arg(args, struct small).f); break;
        case 'u': show("either", va_arg(args, union either).i); break;
        case 't': {
            struct bits t = va_arg(args, struct bits);
            show("bits", t.a * 10000 + t.b);
            break;
        }
        case 'z': {
            double complex z = va_arg(args, double complex);
            show_real("complex", creal(z) * 10 + cimag(z));
            break;
        }
        case 'Z': {
            float complex z = va_arg(args, float complex);
            show_real("float complex", crealf(z) * 10 + cimagf(z));
            break;
        }
        }
    }
}

static void say(const char *kinds, ...)
{
    va_list args;
    pause_here();
    va_start(args, kinds);
    tell(kinds, args);
    va_end(args);
}

static void format(const char *f, ...)
{
    char text[200];
    va_list args;
    pause_here();
    va_start(args, f);
    vsnprintf(text, sizeof text, f, args);
    va_end(args);
    show_text("format", text);
}

static struct four fours(double x)
{
    struct four f = { { x, x / 2, x / 4, x / 8 } };
    pause_here();
    return f;
}

int main(void)
{
    static struct big big = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }, &big };
    struct three t = { { 1, 2, 3 } };
    struct mixed m = { 2.5, 3, "mixed" };
    struct wide w = { 1000000007, -3 };
    struct pair p = { 12, -345 };
    struct floats f = { 1, 2, 3.5f };
    struct five five = { { 1, 2, 3, 4, 5 } };
    struct bits bits = { 5, 1234 };
    struct byte b = { 'x' };
    struct one one = { 1.25 };
    struct small small = { 0.75f };
    union either e = { 42 };
    double complex z = 3 + 4 * I;
    float complex zf = 5 - 6 * I;

    say("ibidLi", 1, b, 2, 3.5, 4.25L, 5);
    say("3p3wi", t, p, t, w, 7);
    say("fm4i5B", f, m, fours(8), 9, five, big);
    say("1sutzZi", one, small, e, bits, z, zf, 11);
    say("iiiiiidddddddddL1w", 1, 2, 3, 4, 5, 6, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.5L, one, w);
    format("%d %Lg %s %g %Lg", 1, 2.5L, "three", 4.5, 5.25L);
    return finish();
}
