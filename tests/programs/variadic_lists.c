/* pc3-test: seq */
/* Argument lists that are read after locations, by the function itself and by those it hands them to. */
#include "check.h"

#include <stdarg.h>

struct point { double x, y; };

static char text[200];

static void pause_here(void)
{
#pragma pc3 checkpoint
    check_sum += 1;
}

/* i int, u unsigned, c char, l long, q long long, d double, s string, p struct, f function */
static double vsum(const char *kinds, va_list args)
{
    double sum = 0;
    for (; *kinds; kinds++) {
        pause_here();
        switch (*kinds) {
        case 'i': case 'c': sum += va_arg(args, int); break;
        case 'u': sum += va_arg(args, unsigned); break;
        case 'l': sum += (double)va_arg(args, long); break;
        case 'q': sum += (double)va_arg(args, long long); break;
        case 'd': sum += va_arg(args, double); break;
        case 's': sum += (double)strlen(va_arg(args, const char *)); break;
        case 'p': {
            const struct point *p = va_arg(args, const struct point *);
            sum += p->x * p->y;
            break;
        }
        case 'f': sum += va_arg(args, int (*)(const char *))("17"); break;
        }
    }
    return sum;
}

static double sum(const char *kinds, ...)
{
    va_list args;
    double s;
    va_start(args, kinds);
    s = vsum(kinds, args);
    va_end(args);
    return s;
}

/* Its own list, twice, with a copy in between. */
static double own(int n, ...)
{
    va_list args, again;
    double s = 0;
    pause_here();
    va_start(args, n);
    for (int i = 0; i < n; i++) {
        s = s * 2 + va_arg(args, double);
        if (i == n / 2) {
            va_copy(again, args);
            pause_here();
            for (int k = i + 1; k < n; k++)
                s += va_arg(again, double);
            va_end(again);
        }
        pause_here();
    }
    va_end(args);
    pause_here();
    va_start(args, n);
    s += va_arg(args, double);
    va_end(args);
    return s;
}

static int number(const char *s)
{
    int n = atoi(s);
    pause_here();
    return n;
}

static void say(const char *format, ...)
{
    va_list args;
    pause_here();
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    show_text("say", text);
}

static void (*speak)(const char *, ...) = say;

static int depth(int n, ...)
{
    va_list args;
    int first, rest = 0;
    va_start(args, n);
    first = va_arg(args, int);
    if (n > 0)
        rest = depth(n - 1, first + n, n, 'x');
    pause_here();
    rest += va_arg(args, int);
    va_end(args);
    return first + rest;
}

static double pass(int n)
{
    return own(3, 1.0 * n, 2.0, (float)n);
}

int main(void)
{
    struct point p = { 1.5, 4 };
    const char *word = "words";
    char list[] = "array";
    unsigned char byte = 200;
    short small = -7;
    show_real("sum", sum("icdsqp", -3, 'a', 0.25, word + 1, 1LL << 40, &p));
    show_real("sum", sum("ulsicc", 4000000000u, 123456789L, list, -1, byte, small));
    show_real("sum", sum("difdqd", 1.0f, 5, number, 2.0, -1LL, 8.0));
    show_real("none", sum(""));
    show_real("own", own(5, 1.0, 2.0, 3.0, 4.5, 5.25));
    say("%d %s %5.2f %c %lld|", number("12"), list, 2.5, 'z', 1LL << 33);
    speak("%s %u%%", word, 99u);
    speak("nothing");
    show("depth", depth(5, 1, 2));
    show_real("pass", pass(7));
    return finish();
}
