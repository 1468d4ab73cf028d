/* pc3-test: seq */
/* Expressions with commas, one behind the other, where functions return, choose, loop and index: what is in front of the last is
 * done, in functions with locals whose addresses are kept, around calls that come to a location. */
#include "check.h"

struct pair {
    int a, b;
};

static int done;

static int step(int *p)
{
#pragma pc3 checkpoint
    done += *p;
    return *p + 1;
}

static int *moved_on(int **rest, int *at, int stop)
{
    int *node = at + 1;
    step(at);
    if (stop)
        return *rest = at, node;
    return *rest = node, step(*rest), at;
}

static struct pair whole(int v)
{
    int k = v;
    struct pair p = {k, done};
    step(&k);
    return p.a++, k++, p;
}

static double converted(int v)
{
    int k = v;
    step(&k);
    return done++, k;
}

static _Bool truth(int v)
{
    int k = v - 1;
    step(&k);
    return v++, k;
}

static void nothing(int v)
{
    int k = v;
    step(&k);
    return (void)done++, (void)k;
}

static int in_loops(int v)
{
    int k = v, sum = (step(&k), k);
    sum += (k++, step(&k));
    for (k = 0, step(&k); k < 2; k++, step(&k))
        sum += k;
    while (step(&k), k-- > 0)
        sum++;
    return step(&k), sum;
}

static int chosen(int v)
{
    int k = v, all[] = {1, 2, 3};
    switch (step(&k), k) {
    case 2:
        return k = 9, step(&k);
    case 3:
        return all[k = 1, k] + all[(step(&k), 2)];
    default:
        return k ? done++, step(&k) : (k, 0);
    }
}

int main(void)
{
    int list[] = {4, 5, 6}, *rest;
    for (int i = 1; i < 4; i++) {
        struct pair p = whole(i);
        nothing(i);
        show("moved on", *moved_on(&rest, list, i % 2) * 10 + *rest);
        show("whole", p.a + p.b);
        show_real("converted", converted(i));
        show("truth", truth(i));
        show("in loops", in_loops(i));
        show("chosen", chosen(i));
        show("done", done);
    }
    return finish();
}
