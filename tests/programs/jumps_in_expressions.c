/* pc3-test: seq */
/* Jumps within statement expressions with locations, and out of them: goto, break, continue, return. */
#include "check.h"

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static int within(int n)
{
    int base = n * 100;
    return base + ({
        int k = 0, sum = 0;
    again:
        sum += tick(k);
        if (++k < n)
            goto again;
        sum;
    });
}

static int out_by_goto(int n)
{
    int kept = n + 7, result = 50;
    result = tick(3) + ({
        int k = tick(n);
#pragma pc3 checkpoint
        if (k > 3)
            goto out;
        k * 2;
    });
    return result;
out:
    return kept * 1000 + result;
}

static int out_of_loops(int n)
{
    int sum = 0, after = n * 3, i = 0;
    for (;;) {
        int x = tick(i) * ({
            if (i++ % 2)
                continue;
            if (tick(i) > n)
                break;
            i;
        });
#pragma pc3 checkpoint
        sum += x;
    }
    return sum * 10 + after;
}

static int back(int n)
{
    int rounds = 0, total = 0;
more:
    total += ({
        if (rounds++ < n) {
            tick(rounds);
            goto more;
        }
        tick(total + rounds);
    });
    return total;
}

static int returning(int n)
{
    int twice = n * 2;
    int y = tick(1) + ({
        if (tick(n) > 2)
            return twice;
        5;
    });
    return y;
}

int main(void)
{
    for (int n = 1; n < 6; n += 2) {
        show("within", within(n));
        show("goto", out_by_goto(n));
        show("loops", out_of_loops(n));
        show("back", back(n));
        show("return", returning(n));
    }
    return finish();
}
