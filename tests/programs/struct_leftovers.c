/* pc3-test: seq */
/* Structs that are copied before each member has been set: what was on the stack is no pointer. */
#include "check.h"

struct grid {
    double *cells;
    int n;
    int *order, *unused;
    int *rows[20];
};

__attribute__((noinline)) static int scatter(const char *text)
{
    /* Addresses of characters, left on the stack where the struct will be. */
    const char *volatile left[64];
    for (int i = 0; i < 64; i++)
        left[i] = text + i % 3;
    return *left[5];
}

__attribute__((noinline)) static void make(int n, struct grid *to)
{
    struct grid g;
    g.n = n;
    g.cells = calloc((size_t)n, sizeof *g.cells);
    if (!g.cells)
        exit(EXIT_FAILURE);
    for (int i = 0; i < n; i++)
        g.rows[5 * i] = to->order;
    *to = g;
}

__attribute__((noinline)) static double sum(struct grid g)
{
    double s = 0;
    for (int i = 0; i < g.n; i++) {
#pragma pc3 checkpoint
        g.cells[i] += i;
        s += g.cells[i];
    }
    return s;
}

int main(void)
{
    char *text = malloc(8);
    if (!text)
        return EXIT_FAILURE;
    strcpy(text, "abcdefg");
    for (int n = 1; n < 5; n++) {
        show("left", scatter(text));
        struct grid g = {.order = NULL};
        make(n, &g);
        show_real("sum", sum(g) + sum(g));
        free(g.cells);
    }
    free(text);
    return finish();
}
