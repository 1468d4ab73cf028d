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

int main(void)
{
    v4 v = kept;
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
