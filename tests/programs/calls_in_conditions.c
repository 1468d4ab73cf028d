/* pc3-test: seq */
/* Calls that reach a location inside every kind of condition and loop header. */
#include "check.h"

static int calls;

static int next(int value)
{
    calls++;
#pragma pc3 checkpoint
    return value;
}

static int below(int i, int limit)
{
    return next(i) < next(limit);
}

static void loops(void)
{
    for (int i = next(0); below(i, 4); i += next(1)) {
        if (i == 2)
            continue;
        show("for", i);
    }
    int i = 0;
    while (next(i++) < 3) {
        if (next(i) == 2)
            continue;
        show("while", i);
    }
    do {
        if (i % 3 == 0)
            continue;
        show("do", i);
    } while (next(--i) > 0);
    for (int a = 0, b = next(10); a < b; a++, b -= next(2))
        show("two", a * 100 + b);
    for (;;) {
        if (next(i++) >= 2)
            break;
    }
    show("endless", i);
    while (next(i) < 6)
        i++;
    show("bare", i);
}

static int conditions(int x)
{
    if (next(x) > 2)
        return next(x) + 1;
    else if (next(x) == 2)
        x = next(20);
    else
        x -= next(5);
    if (!next(0))
        x++;
    return x ? next(x) : -1;
}

int main(void)
{
    loops();
    for (int x = 0; x < 5; x++)
        show("condition", conditions(x));
    int table[4] = {next(3), next(1), next(4), next(1)};
    for (int i = 0; i < 4; i++)
        show("table", table[next(i)]);
    show("calls", calls);
    return finish();
}
