/* pc3-test: seq */
/* Unions of which nothing says what is in use, but whose values tell: numbers that are no addresses, addresses, nothing yet. */
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
    switch (kind % 3) {
    case 0:
        x->in.number = kind * 0.75 - 2;
        break;
    case 1:
        x->in.leaf = malloc(sizeof(struct leaf));
        x->in.leaf->weight = kind;
        x->in.leaf->other = 0;
        break;
    default:
        x->in.text = strdup("some words" + kind % 5);
    }
    last = x->in;
    return x;
}

static double value(const struct item *x)
{
    switch (x->kind % 3) {
    case 0:
        return x->in.number;
    case 1:
        return x->in.leaf->weight;
    default:
        return (double)strlen(x->in.text);
    }
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
        sum += value(all[i / 2]);
        if (i / 2 % 3 == 0)
            sum += here.number;
        show_real("sum", sum);
    }
    return finish();
}
