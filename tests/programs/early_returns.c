/* pc3-test: seq */
/* Returns from everywhere, const and register locals, void functions, unused results. */
#include "check.h"

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static void nothing(int *out)
{
    if (tick(*out) > 3)
        return;
#pragma pc3 checkpoint
    *out += 10;
}

static int classify(const int x)
{
    const int next = tick(x);
    register int sum = next * 2;
    if (next < 0)
        return tick(-1);
    for (register int i = 0; i < 5; i++) {
        if (tick(i) == next)
            return sum + i;
        sum += i;
#pragma pc3 checkpoint
    }
    do {
        const double fraction = next / 8.0;
        if (tick(next) > 100)
            return (int)(fraction * 8);
        switch (next % 3) {
        case 0:
            return tick(sum);
        case 1: {
            static const int table[] = {5, 6, 7};
            const int *const entry = &table[sum % 3];
#pragma pc3 checkpoint
            return *entry;
        }
        }
    } while (0);
    return sum;
}

static const char *volatile kind = "volatile";

static int tail(int n)
{
    return n <= 0 ? 0 : tail(n - tick(0));
}

int main(void)
{
    int value = 0;
    nothing(&value);
    nothing(&value);
    (void)tick(3);
    tick(4);
    show("value", value);
    for (int x = -5; x < 120; x += 9)
        show("class", classify(x));
    show("tail", tail(50));
    show_text("kind", kind);
    volatile int flag = tick(1);
#pragma pc3 checkpoint
    show("flag", flag);
    if (flag)
        return finish();
    return 1;
}
