/* pc3-test: seq */
/* Initialisers that name the variable they belong to, mostly for its size, and that have points. */
#include "check.h"

struct part {
    int a, b;
    char text[12];
};

static void *made(size_t n)
{
    void *p = calloc(1, n);
#pragma pc3 checkpoint
    if (!p)
        abort();
    return p;
}

static int counted(size_t n)
{
    mix((long long)n);
#pragma pc3 checkpoint
    return (int)n;
}

/* Others of the same name, and of another type, lie outside. */
static void hidden(int n)
{
    char *d = made(40);
    short *w = made(n * sizeof *w);
    strcpy(d, "outer");
    {
        double *d = made(5 * sizeof *d), *w = made(3 * sizeof *w), scale = n;
        d[4] = scale;
        w[2] = d[4] * 2;
        show_real("inner", w[2]);
        free(d);
        free(w);
    }
    w[n - 1] = 7;
    show_text(d, "is back");
    show("last", w[n - 1]);
    free(d);
    free(w);
}

static void lists(void)
{
    struct part one = { counted(sizeof one), counted(sizeof one.text), { 'x' } };
    const struct part two = { .b = counted(sizeof two), .a = 3 };
    struct part row[] = { { counted(sizeof row[0]), 1, "r" }, { 2, counted(sizeof *row), "s" } };
    show_text("one", one.text);
    show("one", one.a + one.b);
    show("two", two.a + two.b);
    show("row", row[0].a + row[1].b);
}

static void heads(int n)
{
    for (struct part *p = made(sizeof *p), *next = made(2 * sizeof *next); p;) {
        p->a += n;
        show("for", p->a);
        free(p);
        p = next;
        next = 0;
    }
    switch (n) {
    case 3: {
        struct part *const c = counted(2) > 1 ? made(sizeof *c) : NULL;
        c->b = 4;
        show("case", counted(2) + c->b);
        free(c);
    }
    }
}

static void lengths(int n)
{
    int (*grid)[n] = made(n * sizeof *grid);
    int size = counted(sizeof size) + counted(sizeof(__typeof__(size)));
    int *last = __extension__({
        int *list = made(2 * sizeof *list);
        list[1] = 6;
        list;
    });
    grid[n - 1][n - 1] = 4;
    show("grid", grid[n - 1][n - 1] + size + last[1]);
    free(grid);
    free(last);
}

int main(void)
{
    for (int i = 2; i < 4; i++) {
        hidden(i);
        lists();
        heads(i);
        lengths(i);
    }
    return finish();
}
