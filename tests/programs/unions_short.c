/* pc3-test: seq abi=own */
/* Objects that are allocated only as long as the member of their union that is in use, one of which is very long: notes
 * look at nothing behind them. */
#include "check.h"
#include <stddef.h>
#include <stdlib.h>

struct object {
    unsigned tag;
    union {
        struct {
            struct object *first, *rest;
        } pair;
        double number;
        struct {
            struct object *stack[3];
            long registers[2000000];
            double last;
        } context;
    } as;
};
#define SIZE(member) (offsetof(struct object, as) + sizeof(((struct object *)0)->as.member))

static struct object *number(double d) {
    struct object *o = malloc(SIZE(number));
    o->tag = 1;
    o->as.number = d;
    return o;
}
static struct object *pair(struct object *first, struct object *rest) {
    struct object *o = malloc(SIZE(pair));
    o->tag = 2;
    o->as.pair.first = first;
    o->as.pair.rest = rest;
    return o;
}

int main(int argc, char **argv) {
    struct object *list = pair(number(.25), NULL), *context = NULL;
    (void)argv;
    if (argc > 5) {
        context = calloc(1, sizeof *context);
        context->as.context.last = 1;
    }
    for (int i = 0; i < 40; i++) {
#pragma pc3 checkpoint
        list = pair(number(i / 2.0), list);
        double s = 0;
        for (struct object *p = list; p; p = p->as.pair.rest) s += p->as.pair.first->as.number;
        if (i % 4 == 3) {
            struct object *old = list;
            list = list->as.pair.rest;
            free(old->as.pair.first);
            free(old);
        }
        printf("%d %g\n", i, s);
    }
    return context != NULL;
}
