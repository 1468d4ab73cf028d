/* pc3-test: seq */
/* One name for many things: nested scopes, parameters, globals, tags, members, labels, types. */
#include "check.h"

static int x = 1;
typedef int number;

static int tick(int x)
{
    {
        int y = x;
        {
            int x = y + 1;
#pragma pc3 checkpoint
            y = x;
        }
        x = y;
    }
    return x;
}

static int layers(int x)
{
    int sum = x;
    for (int x = 0; x < 3; x++) {
        sum += tick(x);
        int i = x * 2;
        for (int x = i; x < i + 2; x++) {
            long x_ = x;
            {
                double x = x_ * 0.5;
#pragma pc3 checkpoint
                sum += (int)(x * 2);
            }
            sum += tick(x);
        }
    }
    {
        extern int outside;
        int inside = outside + tick(sum);
        sum = inside;
    }
    return sum;
}
int outside = 7;

static int spaces(void)
{
    struct x {
        int x;
    } y = {tick(4)};
    number number = tick(y.x);
    {
        struct x {
            char x[4];
        } y = {"abc"};
        tick(0);
        number += y.x[1];
    }
    goto x;
x:
#pragma pc3 checkpoint
    return number + y.x;
}

static int siblings(void)
{
    int total = 0;
    {
        int a = tick(1);
        total += a;
        tick(0);
    }
    {
        char a = (char)tick('a');
#pragma pc3 checkpoint
        total += a;
    }
    {
        const char *a = "sibling";
        tick(0);
        total += (int)strlen(a);
    }
    return total;
}

int main(void)
{
    show("layers", layers(x));
    show("spaces", spaces());
    show("siblings", siblings());
    int x = tick(41);
    show("local", x);
    return finish();
}
