/* pc3-test: seq */
/* Variables whose initialisers name them, and variables that are named like their type. */
#include "check.h"

struct pair { int a; long b; };
typedef struct pair pair;
typedef unsigned element;

static void *room(size_t n, size_t size)
{
#pragma pc3 checkpoint
    void *p = calloc(n, size);
#pragma pc3 checkpoint
    return p;
}

static size_t count(size_t n)
{
#pragma pc3 checkpoint
    return n;
}

static long sizes(int n)
{
    struct pair *p = room(n, sizeof *p);
    struct pair *q = room(n, 2 * sizeof *q), *const behind = q + n;
    struct pair *const fixed = room(count(n), sizeof *fixed), *r = fixed;
    short *pick = count(n) > 1 ? room(n, sizeof *pick) : NULL;
    size_t words = count(n) * (sizeof words / sizeof words);
    long sum = words;
    for (int i = 0; i < n; i++) {
        p[i].a = i;
        q[i].b = 2 * i;
        r[i].b = p[i].a + q[i].b;
        pick[i] = i;
    }
#pragma pc3 checkpoint
    for (int i = 0; i < n; i++)
        sum += fixed[i].b + pick[i];
    sum += behind - q;
    free(p), free(q), free(fixed), free(pick);
    return sum;
}

static unsigned elements(const element *list, size_t n)
{
    element element = list[0], *const copy = room(n, sizeof element), *const end = copy + n;
    unsigned sum = 0;
    memcpy(copy, list, n * sizeof *copy);
#pragma pc3 checkpoint
    for (const unsigned *x = copy; x != end; x++) {
#pragma pc3 checkpoint
        sum = 31 * sum + *x + element;
    }
    free(copy);
    return sum;
}

static long pairs(pair *all, int n)
{
    pair pair = all[0], *at = all, *const end = all + n;
    long sum = pair.b;
    for (; at != end; at++) {
#pragma pc3 checkpoint
        sum += at->a * at->b - pair.a;
    }
    return sum;
}

int main(void)
{
    const element list[] = {3, 1, 4, 1, 5, 9, 2, 6};
    pair all[] = {{1, 2}, {3, 4}, {5, 6}};
    show("sizes", sizes(5));
    show("elements", elements(list, 8));
    show("pairs", pairs(all, 3));
    return finish();
}
