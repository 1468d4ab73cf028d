/* pc3-test: seq */
/* Variadic functions called around locations, with calls among their arguments. */
#include "check.h"

#include <stdarg.h>

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static double half(int x)
{
#pragma pc3 checkpoint
    return x / 2.0;
}

/* Letters in `kinds`: i int, l long long, d double, s string. */
static double total(const char *kinds, ...)
{
    va_list args;
    double sum = 0;
    va_start(args, kinds);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': sum += va_arg(args, int); break;
        case 'l': sum += (double)va_arg(args, long long); break;
        case 'd': sum += va_arg(args, double); break;
        case 's': sum += (double)strlen(va_arg(args, const char *)); break;
        }
    va_end(args);
    return sum;
}

static void say(const char *format, ...)
{
    char text[80];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
#pragma pc3 checkpoint
    show_text("say", text);
}

int main(void)
{
    double sum = total("idls", tick(1), half(3), (long long)tick(2) << 40, "four");
#pragma pc3 checkpoint
    show_real("sum", sum);
    say("%d %s %.3f %c", tick(6), "text", half(7), tick('a'));
    say("%d%%", tick(99));
    printf("%d %g\n", tick(1), half(5));
    show_real("nested", total("dd", total("ii", tick(1), tick(2)), total("d", half(9))));
    for (int i = 0; i < 3; i++)
        say("%-5d|%5s|", tick(i * i), i ? "odd" : "even");
    return finish();
}
