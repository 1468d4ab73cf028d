/* pc3-test: seq pc3=-fno-pc3-pieces */
/* Functions that allocate for their callers, look at what they got by themselves, or are declared as before there was `void *`. */
#include "check.h"

struct item {
    struct item *next;
    double weight;
    char *name;
    int rank;
};

static void *linked(size_t n)
{
    void *p = 0;
    if (posix_memalign(&p, 16, n))
        abort();
    *(void **)p = 0;
    return p;
}

static void *filled(size_t n)
{
    int *p = malloc(n);
    size_t i;
    if (!p)
        abort();
    for (i = 0; i < n / sizeof *p; i++)
        p[i] = 0x5a5a5a5a;
    return p;
}

static short *early(unsigned n)
{
    short *p = (short *)calloc(1, n);
    if (!p)
        abort();
    return p;
}

static struct item *list;
static int *counts;
static char **names;

static void add(int i)
{
    struct item *x = i % 3 == 0 ? linked(sizeof *x) : i % 3 == 1 ? filled(sizeof *x) : (struct item *)early(sizeof *x);
    x->next = list;
    x->weight = i / 4.0;
    x->name = names[i];
    x->rank = counts[i];
    list = x;
}

int main(void)
{
    double sum = 0;
    int i;
    counts = (int *)early(9 * sizeof *counts);
    names = (char **)early(9 * sizeof *names);
    for (i = 0; i < 9; i++) {
        char *text = linked(16);
        snprintf(text, 16, "item %d", i);
        names[i] = text;
        counts[i] = 7 * i;
#pragma pc3 checkpoint
        add(i);
    }
    for (struct item *x = list; x; x = x->next) {
        show_text("name", x->name);
        sum += x->weight * x->rank;
    }
    show_real("sum", sum);
    return finish();
}
