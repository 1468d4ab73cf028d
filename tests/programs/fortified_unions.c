/* pc3-test: seq flags=-D_FORTIFY_SOURCE=2 */
/* Unions in memory that is copied and cleared by functions that the C library's headers define themselves where arguments
 * are to be checked: which member each holds goes along. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value {
    int kind;
    union {
        double number;
        long count;
        int pair[2];
    } u;
};

static void set(struct value *v, int i)
{
    v->kind = i % 3;
    if (v->kind == 0)
        v->u.number = i + .5;
    else if (v->kind == 1)
        v->u.count = i * 1003L;
    else
        v->u.pair[0] = i, v->u.pair[1] = -i;
}

static struct value *copy(const struct value *from, size_t n)
{
    struct value *p = malloc(n * sizeof *p);
    memcpy(p, from, n * sizeof *p);
    return p;
}

static void show(const struct value *v)
{
    if (v->kind == 0)
        printf(" %g", v->u.number);
    else if (v->kind == 1)
        printf(" %ld", v->u.count);
    else
        printf(" %d,%d", v->u.pair[0], v->u.pair[1]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5;
    struct value *all = calloc(n, sizeof *all);
    for (int i = 0; i < n; i++)
        set(&all[i], i);
    for (int i = 0; i < 6; i++) {
#pragma pc3 checkpoint
        struct value *other = copy(all, n);
        memmove(other, other + 1, (n - 1) * sizeof *other);
        memset(&other[n - 1], 0, sizeof *other);
        set(&other[i % n], i + 1);
        free(all);
        all = other;
        for (int k = 0; k < n; k++)
            show(&all[k]);
        puts("");
    }
    return 0;
}
