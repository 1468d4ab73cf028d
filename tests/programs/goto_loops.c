/* pc3-test: seq */
/* goto in both directions, out of nested loops, and into blocks and loops. */
#include "check.h"

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static int backwards(int limit)
{
    int i = 0, sum = 0;
again:
    sum += tick(i);
#pragma pc3 checkpoint
    if (++i < limit)
        goto again;
    return sum;
}

static int search(int wanted)
{
    int i, j;
    for (i = 0; i < 5; i++)
        for (j = 0; j < 5; j++) {
            if (tick(i * j) == wanted)
                goto found;
        }
    return -1;
found:
#pragma pc3 checkpoint
    return i * 10 + j;
}

static int into_loop(int start)
{
    int i = start, sum = 0;
    if (start > 2)
        goto middle;
    for (i = 0; i < 5; i++) {
        sum += tick(i);
    middle:
#pragma pc3 checkpoint
        sum += 100 * tick(0);
    }
    return sum;
}

static int cleanup(int stage)
{
    int *a = NULL, *b = NULL, result = -1;
    a = malloc(3 * sizeof *a);
    if (!a || stage == 0)
        goto out;
    for (int i = 0; i < 3; i++)
        a[i] = tick(i);
    b = malloc(2 * sizeof *b);
    if (!b || stage == 1)
        goto out;
    b[0] = tick(a[0]);
    b[1] = tick(a[1] + a[2]);
#pragma pc3 checkpoint
    result = b[0] * 10 + b[1];
out:
    tick(0);
    free(a);
    free(b);
    return result;
}

static int two_states(int n)
{
    int trace = 0;
even:
    if (n == 0)
        goto end;
    n--;
#pragma pc3 checkpoint
    trace = trace * 3 + tick(0);
    goto odd;
odd:
    if (n == 0)
        goto end;
    n--;
    trace = trace * 3 + tick(1);
    goto even;
end:
    return trace;
}

int main(void)
{
    show("backwards", backwards(6));
    show("search", search(7));
    show("search", search(99));
    show("into", into_loop(0));
    show("into", into_loop(3));
    for (int stage = 0; stage < 3; stage++)
        show("cleanup", cleanup(stage));
    show("states", two_states(9));
    return finish();
}
