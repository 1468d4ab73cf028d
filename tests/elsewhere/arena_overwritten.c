/* pc3-test: seq flags=-w */
/* The same in memory that an arena hands out. */
#include <stdio.h>
#include <stdlib.h>

static char *at, *end;

static void *get(size_t n) {
    if (!at) {
        at = malloc(4096);
        end = at + 4096;
    }
    char *p = at;
    at += (n + 15) & ~(size_t)15;
    if (at > end)
        exit(9);
    return p;
}

struct apply { int tag; struct apply *f, *x; };
struct value { int tag; long count; double sum; };

int main(void) {
    struct apply *a = get(sizeof *a), *b = get(sizeof *b);
    a->tag = b->tag = 1;
    a->f = b->f = b;
    a->x = b->x = a;
    struct value *v = (struct value *)a;
    v->tag = 2;
    v->count = 77;
    v->sum = 2.5;
#pragma pc3 checkpoint
    v = (struct value *)b->x;
    printf("%d %ld %g\n", v->tag, v->count, v->sum);
    return 0;
}
