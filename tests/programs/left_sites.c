/* pc3-test: seq */
/* Functions that allocate for their callers, and call others that could but do not: each object has the type of its own call. */
#include "check.h"

struct first {
    struct first *next;
    long number;
    short half;
};
struct second {
    double real;
    struct second *next;
};

static void *kept;
static int spares, asked;

/* Gives what is left over, or something new. */
static void *spare(size_t n)
{
    void *p = kept;
    if (p) {
        kept = NULL;
        spares++;
        return p;
    }
    return malloc(n);
}

static void *none(size_t n)
{
    asked += (int)(n != 0);
    return n > 1000000 ? malloc(n) : NULL;
}

/* What is called between the start and the allocation says types of its own. */
static void *make(size_t n)
{
    struct second *s = spare(sizeof *s);
    short *halves = none(sizeof *halves);
    s->real = 0.5;
    kept = s;
    return halves ? halves : malloc(n);
}

typedef void *maker(size_t);
static maker *const makers[] = {none, make, spare};

static int up(const void *a, const void *b)
{
    struct first *f = makers[0](sizeof *f);
    const struct first *x = *(struct first *const *)a, *y = *(struct first *const *)b;
    return f ? 0 : (x->number > y->number) - (x->number < y->number);
}

int main(void)
{
    struct first *list = NULL, *all[9];
    struct second *reals = NULL;
    int i;
    for (i = 0; i < 9; i++) {
        struct first *f = makers[1](sizeof *f);
        struct second *s;
        f->next = list;
        f->number = i * 7 % 5;
        f->half = (short)-i;
        all[i] = list = f;
#pragma pc3 checkpoint
        if (makers[0](sizeof(struct second)))
            return 1;
        s = make(sizeof *s);
        s->real = i / 8.0;
        s->next = reals;
        reals = s;
        qsort(all, (size_t)i + 1, sizeof *all, up);
#pragma pc3 checkpoint
        show("half", all[i]->half);
    }
    for (; list; list = list->next)
        show("number", list->number);
    for (; reals; reals = reals->next)
        show_real("real", reals->real);
#pragma pc3 checkpoint
    show("spares", spares);
    show("asked", asked > 9);
    return finish();
}
