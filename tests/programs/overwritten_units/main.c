/* pc3-test: seq abi=wide */
/* Memory that functions of other files, which get a pointer to anything, know as another struct than it was made as; and lists
 * of anything, each of which holds what it holds. */
#include "../check.h"
#include "nodes.h"

struct apply {
    int tag;
    struct apply *function, *argument;
};
struct point {
    int x, y;
    double weight;
};
struct name {
    char text[12];
    long uses;
};

static struct apply *nodes[8];
static struct item *names, *points;

static void *get(size_t size)
{
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}

static struct apply *apply(struct apply *f, struct apply *x)
{
    struct apply *a = get(sizeof *a);
    a->tag = APPLY;
    a->function = f;
    a->argument = x;
    return a;
}

static double total(const struct apply *a)
{
    if (!a)
        return 0;
    return a->tag == VALUE ? value_of(a) : 1 + total(a->function) + total(a->argument);
}

static void push(struct item **list, void *data)
{
    struct item *i = get(sizeof *i);
    i->data = data;
    i->next = *list;
    *list = i;
}

static struct point *point(int x, int y)
{
    struct point *p = get(sizeof *p);
    p->x = x;
    p->y = y;
    p->weight = x * 0.5 - y;
    return p;
}

static struct name *name(const char *text)
{
    struct name *n = get(sizeof *n);
    memset(n, 0, sizeof *n);
    strcpy(n->text, text);
    return n;
}

int main(void)
{
    struct apply *top = 0;
    for (int i = 0; i < 8; i++)
        top = nodes[i] = apply(top, i > 3 ? nodes[i / 2] : 0);
    push(&names, name("heather"));
    push(&names, name("ling"));
    for (int i = 0; i < 8; i++) {
        long sum = 0;
        push(&points, point(i + 1, -i));
        push(&points, point(3, i * 100000));
        give_back(point(i + 70000, i + 1));
        give_back(get(sizeof(struct point)));
        become_value(nodes[i], i + 1, 0.25 * i - 1.5);
#pragma pc3 checkpoint
        show_real("total", total(top));
        for (struct item *p = points; p; p = p->next) {
            struct point *at = p->data;
            sum += at->x * 3 + at->y;
            at->weight *= 1.25;
        }
        for (struct item *p = names; p; p = p->next) {
            struct name *n = p->data;
            n->uses += (long)strlen(n->text);
            show(n->text, n->uses);
        }
        show("points", sum);
        show("cells", free_cells());
        show_real("weight", ((struct point *)points->data)->weight);
    }
    return finish();
}
