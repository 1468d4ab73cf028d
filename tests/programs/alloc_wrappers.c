/* pc3-test: seq */
/* Allocation behind the program's own functions: checked, typed by macro, copying, pooled. */
#define _POSIX_C_SOURCE 200112L
#include "check.h"

#define NEW(type) ((type *)xcalloc(1, sizeof(type)))
#define NEW_ARRAY(type, count) ((type *)xcalloc((count), sizeof(type)))

struct named {
    char *name;
    struct named *link;
    short rank;
};
struct pool {
    struct named *block;
    size_t used, size;
    struct pool *older;
};

static void *xmalloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

static void *xcalloc(size_t count, size_t size)
{
    void *p = xmalloc(count * size);
    memset(p, 0, count * size);
    return p;
}

static void *xrealloc(void *old, size_t size)
{
    void *p = realloc(old, size);
    if (!p)
        exit(1);
    return p;
}

/* As it was written once; with a location before the allocation. */
static char *emalloc(n)
unsigned n;
{
    char *p;
#pragma pc3 checkpoint
    p = malloc(n);
    if (!p)
        exit(1);
    return p;
}

static char *copy(const char *text)
{
    char *p = xmalloc(strlen(text) + 1);
    return strcpy(p, text);
}

static void *copy_bytes(const void *from, size_t size)
{
    return memcpy(xmalloc(size), from, size);
}

/* Aligned, with a size that is computed on the way. */
static void *aligned(size_t size)
{
    void *p = NULL;
    size_t padded = size + 64;
    if (posix_memalign(&p, 64, padded) || !p)
        exit(1);
    return p;
}

static void *array(unsigned long long count, int size)
{
    size_t all = count;
    all *= (size_t)size;
    return aligned(all);
}

/* Bytes more than whole elements, and a start that is moved into them. */
static long padded_sum(int count)
{
    long *base = xmalloc((size_t)count * sizeof(long) + 37);
    long *from = base + 4;
    for (int i = 0; i < count; i++) {
        from[i] = i * 3L - 1;
#pragma pc3 checkpoint
    }
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 2 + base[i + 4];
    free(base);
    return sum;
}

static struct named *from_pool(struct pool **pool)
{
    if (!*pool || (*pool)->used == (*pool)->size) {
        struct pool *p = NEW(struct pool);
        p->size = 3;
        p->block = NEW_ARRAY(struct named, p->size);
        p->older = *pool;
#pragma pc3 checkpoint
        *pool = p;
    }
    return &(*pool)->block[(*pool)->used++];
}

int main(void)
{
    struct pool *pool = NULL;
    struct named *last = NULL;
    char text[16];
    for (int i = 0; i < 8; i++) {
        struct named *n = from_pool(&pool);
        snprintf(text, sizeof text, "entry %d", i);
        n->name = copy(text);
        n->rank = (short)(i * i);
        n->link = last;
        last = n;
#pragma pc3 checkpoint
    }
    int numbers[] = {3, 1, 4, 1, 5, 9};
    int *numbers_copy = copy_bytes(numbers, sizeof numbers);
    double *reals = xmalloc(4 * sizeof *reals);
    for (int i = 0; i < 4; i++)
        reals[i] = numbers[i] * 0.5;
    struct named *single = NEW(struct named);
    *single = *last;
#pragma pc3 checkpoint
    reals = xrealloc(reals, 8 * sizeof *reals);
    for (int i = 4; i < 8; i++)
        reals[i] = reals[i - 4] + numbers_copy[i - 3];
#pragma pc3 checkpoint
    double(*table)[4][2] = (double(*)[4][2])array(4 * 2, sizeof(double));
    for (int i = 0; i < 8; i++)
        (*table)[i / 2][i % 2] = reals[7 - i];
    struct named *old = (struct named *)emalloc(sizeof(struct named));
    *old = *last;
    struct named *row = array(2, sizeof *row);
    row[0] = *last;
    row[1] = (struct named){copy("row"), &row[0], 77};
#pragma pc3 checkpoint
    show_real("table", (*table)[1][1] - (*table)[3][0]);
    show(row[1].name, row[1].rank + row[1].link->rank);
    free(row[1].name);
    show(old->name, old->rank);
    free(old);
    free(row);
    free(table);
    show("padded", padded_sum(5));
    double sum = 0;
    for (int i = 0; i < 8; i++)
        sum = sum * 2 + reals[i];
    show_real("reals", sum);
    for (struct named *n = single; n; n = n->link)
        show(n->name, n->rank);
    for (struct named *n = last; n; n = n->link)
        free(n->name);
    while (pool) {
        struct pool *older = pool->older;
        free(pool->block);
        free(pool);
        pool = older;
#pragma pc3 checkpoint
    }
    free(single);
    free(numbers_copy);
    free(reals);
    return finish();
}
