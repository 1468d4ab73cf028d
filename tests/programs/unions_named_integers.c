/* pc3-test: seq */
/* Members that are alike on one architecture alone, as `size_t` and its like are `int` or `long` there, and `int64_t` is `long` or
 * `long long`: what is in use is noted everywhere. */
#include <stddef.h>
#include "check.h"

typedef intptr_t context;
typedef context contexts[2];

struct frame {
    union {
        struct { const unsigned *at; volatile int trap; int extra; } own;
        struct { int (*k)(int, context); ptrdiff_t old; contexts given; } foreign;
    } u;
    union {
        struct { int64_t wide; struct frame *link; } w;
        struct { long narrow; void *link; } n;
    } v;
    struct frame *next;
    int is_own, is_wide;
};

static unsigned code[32];

static int called(int status, context c) { return status + (int)c; }

static struct frame *push(struct frame *next, int i)
{
    struct frame *f = malloc(sizeof *f);
    f->next = next;
    f->is_own = i % 3 != 0;
    f->is_wide = i % 2;
    if (f->is_own) {
        f->u.own.at = code + i % 32;
        f->u.own.trap = i % 2;
        f->u.own.extra = i;
    } else {
        f->u.foreign.k = i % 2 ? called : NULL;
        f->u.foreign.old = -i;
        f->u.foreign.given[0] = i + 1;
        f->u.foreign.given[1] = -i - 1;
    }
    if (f->is_wide) {
        f->v.w.wide = (1LL << 40) + i;
        f->v.w.link = next;
    } else {
        f->v.n.narrow = -i;
        f->v.n.link = f;
    }
    return f;
}

static void sum(struct frame *f)
{
    for (; f; f = f->next) {
        if (f->is_own) {
            show("at", f->u.own.at - code);
            show("trap", f->u.own.trap * 100 + f->u.own.extra);
        } else {
            show("k", f->u.foreign.k ? f->u.foreign.k(5, f->u.foreign.given[0]) : -1);
            show("old", f->u.foreign.old * 1000 + f->u.foreign.given[1]);
        }
        if (f->is_wide)
            show("wide", f->v.w.wide + (f->v.w.link == f->next));
        else
            show("narrow", f->v.n.narrow + (f->v.n.link == f));
    }
}

int main(void)
{
    struct frame *all = NULL;
    for (int i = 0; i < 8; i++) {
        all = push(all, i);
#pragma pc3 checkpoint
        sum(all);
        for (struct frame *f = all; f; f = f->next)
            if (f->is_own)
                f->u.own.extra += 3;
    }
    return finish();
}
