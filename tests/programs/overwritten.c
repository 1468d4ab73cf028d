/* pc3-test: seq abi=wide */
/* Nodes that are overwritten by others of the same size, as graph reducers do: nothing but the program's own tags says which is which. */
#include "check.h"

struct apply {
    int tag;
    struct apply *function, *argument;
};
struct value {
    int tag;
    long count;
    double sum;
};
enum { APPLY, VALUE };

static struct apply *nodes[12];
static int made;

static struct apply *apply(struct apply *f, struct apply *x)
{
    struct apply *a = malloc(sizeof *a);
    if (!a)
        abort();
    a->tag = APPLY;
    a->function = f;
    a->argument = x;
    return nodes[made++] = a;
}

static void reduce(struct apply *a, long count, double sum)
{
    struct value *v = (struct value *)a;
    v->tag = VALUE;
    v->count = count;
    v->sum = sum;
}

static double total(const struct apply *a)
{
    const struct value *v = (const struct value *)a;
    if (!a)
        return 0;
    if (a->tag == VALUE)
        return v->count * v->sum;
    return 1 + total(a->function) + total(a->argument);
}

int main(void)
{
    struct apply *top = 0;
    void *any;
    int i;
    for (i = 0; i < 12; i++)
        top = apply(top, i > 3 ? nodes[i / 2] : 0);
    for (i = 0; i < 12; i++) {
        show_real("total", total(top));
        reduce(nodes[i], i + 1, 0.25 * i - 1.5);
#pragma pc3 checkpoint
        any = nodes[i];
        struct value *v = any;
        v->count += 3;
        v->sum *= 1.5;
    }
    show_real("part", total(nodes[3]));
    return finish();
}
