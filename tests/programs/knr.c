/* pc3-test: seq */
/* Definitions in the style before prototypes, with the promotions that it means. */
#include "check.h"

static int add(a, b)
    int a, b;
{
#pragma pc3 checkpoint
    return a + b;
}

static int both(a, b)
    register a;
    const b;
{
#pragma pc3 checkpoint
    return a * b;
}

static double mean(values, count, scale)
    double *values;
    int count;
    float scale;
{
    double sum = 0;
    int i;
    for (i = 0; i < count; i++) {
#pragma pc3 checkpoint
        sum += values[i];
    }
    return sum / count * scale;
}

static int narrow(c, s)
    char c;
    short s;
{
    c = (char)(c + 1);
#pragma pc3 checkpoint
    s = (short)(s * 2);
    return add((int)c, (int)s);
}

static char *skip(text, f)
    char *text;
    int (*f)();
{
    while (*text && (*f)(*text, 0) != 'x') {
#pragma pc3 checkpoint
        text++;
    }
    return text;
}

static int fib(n)
    int n;
{
    return n < 2 ? add(n, 0) : add(fib(n - 1), fib(n - 2));
}

int main()
{
    double values[3];
    char text[8];
    values[0] = 1.5;
    values[1] = 2;
    values[2] = add(2, 1);
    strcpy(text, "abxcd");
    show_real("mean", mean(values, 3, 0.5f));
    show("narrow", narrow('c', 1000));
    show_text("skip", skip(text, add));
    show("both", both(6, 7));
    show("fib", fib(8));
    return finish();
}
