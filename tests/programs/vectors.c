/* pc3-test: seq */
/* Vectors of GNU C: saved in locals, globals and memory, and restored as arrays of their elements. */
#include "check.h"

typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));

static v4 kept = {1, 2, 3, 4};

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static v4 turn(v4 v, int n)
{
    v4 step = {n, n, n, n};
    v4 *heap = malloc(2 * sizeof *heap);
    if (!heap)
        abort();
    heap[0] = v + step;
    heap[1] = heap[0] * tick(n);
#pragma pc3 checkpoint
    v = heap[1] - heap[0];
    free(heap);
    return v ^ step;
}

/* An element is a part of its vector, also behind an index that takes a checkpoint, and by its address. */
struct holder {
    char c;
    v4 v;
};

static void elements(struct holder *h)
{
    v4 v = kept, *p = &h->v;
    v[tick(0)] += 10;
    v[tick(1)] = tick(6);
    v[tick(2) - 3 + tick(1)]++;
    h->v[tick(-1)] -= tick(2);
    (*p)[tick(1)] *= v[tick(0)];
    h->v[3] = v[tick(v[tick(-1)] - kept[0] - 1)];
    int *one = &v[2], *other = &h->v[tick(0)];
#pragma pc3 checkpoint
    *one += 100;
    *other += *one;
    for (int k = 0; k < 4; k++) {
        show("element", v[k]);
        show("held", h->v[k]);
    }
    show("of a value", (v == h->v)[tick(1)] + turn(v, 2)[tick(0)]);
}

int main(void)
{
    v4 v = kept;
    struct holder h = {'h', {5, 6, 7, 8}};
    elements(&h);
    f4 f = {0.5f, 1, 2, 4};
    for (int i = 0; i < 4; i++) {
        v = turn(v, i) + kept;
#pragma pc3 checkpoint
        kept[i] += v[3 - i];
        f *= f + (float)tick(i);
        for (int k = 0; k < 4; k++) {
            show("v", v[k]);
            show_real("f", f[k]);
        }
    }
    return finish();
}
