/* pc3-test: seq */
/* Stores of call results to places that are chosen at run time: by ?:, a comma, an index. */
#include "check.h"

struct pair {
    int first, second;
};

static int depth;

static int next(int n)
{
    char pad[64];
    memset(pad, n, sizeof pad);
#pragma pc3 checkpoint
    depth += pad[n & 63];
    return n * 3 + 1;
}

static struct pair both(int n)
{
    struct pair p = {next(n), next(n + 1)};
    return p;
}

int main(void)
{
    struct pair a = {0, 0}, b = {0, 0};
    int x = 0, y = 0, list[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        *(i % 2 ? &x : &y) = next(i);
        *(i & 2 ? &a : &b) = both(i);
        (i % 2 ? &b : &a)->second += next(i + 1);
        (depth++, list)[i] = next(x);
        *(depth++, &y) += next(y);
        show("x", x);
        show("y", y);
        show("a", a.first * 1000 + a.second);
        show("b", b.first * 1000 + b.second);
        show("list", list[i]);
    }
    show("depth", depth);
    return finish();
}
