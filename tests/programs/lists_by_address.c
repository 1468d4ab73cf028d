/* pc3-test: seq */
/* Argument lists of which others have the address while locations are reached: read there, copied, begun late and begun again. */
#include "check.h"

#include <stdarg.h>

struct point { int n; double x; };

static int pause_here(int n)
{
#pragma pc3 checkpoint
    return n;
}

static double some(va_list *list, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += va_arg(*list, double) + pause_here(i);
        struct point p = va_arg(*list, struct point);
        sum += pause_here(p.n) * p.x;
        sum += (double)va_arg(*list, long long);
    }
    return sum;
}

static double all(int n, ...)
{
    va_list list, again;
    double sum;
    va_start(list, n);
    va_copy(again, list);
    sum = some(&list, n);
    pause_here(1);
    sum = 2 * sum + some(&again, n);
    sum += va_arg(list, int);
    pause_here(2);
    sum += va_arg(again, int);
    va_end(again);
    va_end(list);
    return sum + pause_here(3);
}

static int late(int n, ...)
{
    va_list list, *where = &list;
    int sum = pause_here(n);
    va_start(list, n);
    sum += pause_here(va_arg(*where, int));
    sum += va_arg(list, int);
    va_end(list);
    pause_here(4);
    va_start(list, n);
    sum = 3 * sum + va_arg(*where, int);
    va_end(*where);
    return sum;
}

/* A list that another function has begun is copied first: where it is a parameter, its address is another's. */
static int copied(int n, va_list given)
{
    va_list list;
    struct point p;
    va_copy(list, given);
    n += (int)some(&list, 1);
    pause_here(n);
    n += va_arg(list, int);
    va_end(list);
    (void)va_arg(given, double);
    p = va_arg(given, struct point);
    return n + p.n;
}

static int handed(int n, ...)
{
    va_list list;
    va_start(list, n);
    n = copied(n, list);
    va_end(list);
    return n;
}

static int nested(const char *text, va_list *list)
{
    int sum = 0;
    for (; *text; text++) {
        int n = pause_here(va_arg(*list, int));
        if (*text == '(')
            return sum + n * nested(text + 1, list);
        sum += n;
    }
    return sum;
}

static int parsed(const char *text, ...)
{
    va_list list;
    int sum;
    va_start(list, text);
    sum = nested(text, &list);
    sum += va_arg(list, int);
    va_end(list);
    return sum;
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        struct point p = { i, 1.5 }, q = { 2, 0.25 };
        show_real("all", all(2, 1.5, p, 3LL, 2.5, q, 1LL << 40, i));
        show("late", late(i, 3, i));
        show("handed", handed(1, 0.5, p, 4LL, i));
        show("parsed", parsed("aa(b(c", 1, 2, 3, 4, 5, i, 7));
    }
    return finish();
}
