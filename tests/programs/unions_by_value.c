/* pc3-test: seq abi=wide */
/* Unions of which nothing says what is in use, but whose values tell: numbers that are no addresses, or nothing yet. */
#include "check.h"

struct leaf {
    double weight;
    struct leaf *other;
};

/* As parsers have them. */
union entry {
    double number;
    struct leaf *leaf;
    char *text;
};

struct item {
    int kind;
    union {
        double real;
        struct leaf *leaf;
        long long large;
    } unused;
    union entry in;
};

static union entry last;
static union entry stack[8];
static union {
    short s;
    int i;
    char c[6];
    double d;
} never_set;

static struct item *make(int kind)
{
    struct item *x = calloc(1, sizeof *x);
    x->kind = kind;
#pragma pc3 checkpoint
    if (kind % 3)
        x->in.number = kind * 0.7 - 2.1;
    last = x->in;
    return x;
}

int main(void)
{
    struct item *all[12];
    double sum = never_set.d;
    for (int i = 0; i < 12; i++) {
        all[i] = make(i);
        stack[i % 8] = last;
        union entry here = stack[i / 2];
#pragma pc3 checkpoint
        if (all[i / 2]->kind % 3)
            sum += here.number + all[i / 2]->in.number;
        else
            sum += here.text == 0 && !all[i / 2]->in.leaf && !all[i]->unused.leaf;
        show_real("sum", sum);
    }
    return finish();
}
