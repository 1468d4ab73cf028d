/* pc3-test: seq args=9 */
/* Recursion whose state is structures on the stack, linked to the callers' frames; mutual
 * recursion; deep recursion. */
#include "check.h"

struct frame {
    struct frame *caller;
    int depth;
    double share;
    int *total; /* in main's frame */
};

static void descend(struct frame *caller, int depth, int *total);

static void split(struct frame *caller, int depth, int *total)
{
    struct frame here = {caller, depth, caller->share / 2, total};
    *here.total += depth;
#pragma pc3 checkpoint
    descend(&here, depth - 1, total);
    descend(&here, depth - 2, total);
}

static void descend(struct frame *caller, int depth, int *total)
{
    if (depth <= 0) {
        int sum = 0;
        for (const struct frame *f = caller; f; f = f->caller)
            sum = sum * 3 + f->depth;
#pragma pc3 checkpoint
        *caller->total += sum & 15;
        return;
    }
    split(caller, depth, total);
}

static unsigned deep(unsigned n, unsigned *above)
{
    unsigned here = *above + n;
    if (n == 0) {
#pragma pc3 checkpoint
        return here;
    }
    unsigned below = deep(n - 1, &here);
    return below + here % 7;
}

static unsigned ackermann(unsigned m, unsigned n)
{
#pragma pc3 checkpoint
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void hanoi(int n, int from, int to, int pegs[3])
{
    if (n == 0)
        return;
    hanoi(n - 1, from, 3 - from - to, pegs);
    pegs[from]--;
    pegs[to]++;
#pragma pc3 checkpoint
    mix(pegs[0] * 100 + pegs[1] * 10 + pegs[2]);
    hanoi(n - 1, 3 - from - to, to, pegs);
}

int main(int argc, char **argv)
{
    int total = 0, pegs[3] = {6, 0, 0}, depth = argc > 1 ? atoi(argv[1]) : 9;
    struct frame top = {NULL, 0, 1, &total};
    descend(&top, depth, &total);
    show("total", total);
    unsigned start = 5;
    show("deep", deep(2000, &start));
    show("ackermann", ackermann(2, 4));
    hanoi(6, 0, 2, pegs);
    show("hanoi", pegs[2]);
    return finish();
}
