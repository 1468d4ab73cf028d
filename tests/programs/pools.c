/* pc3-test: seq */
/* A pool that knows its items by their size, with a free list through the items themselves; an arena that is handed out
   in pieces of one kind. The types of their blocks, and what the sizes count, are said. */
#include "check.h"

struct node {
    struct node *next;
    long weight;
    short tag;
};

struct pool {
    size_t item;
    void *free;
    char *block;
    size_t left, total;
};
#pragma pc3 bytes pool.item of struct node
#pragma pc3 bytes pool.total of struct node

static struct pool nodes;

static void pool_init(struct pool *p, size_t item)
{
    memset(p, 0, sizeof *p);
    p->item = item;
}

static void *pool_get(struct pool *p)
{
    void *r = p->free;
    if (r) {
        p->free = *(void **)r;
        return r;
    }
    if (!p->left) {
        p->left = 5;
        p->block = malloc(p->item * p->left);
        memset(p->block, 0, p->item * p->left);
        p->total += p->item * p->left;
    }
    r = p->block;
    p->block += p->item;
    p->left--;
    return r;
}
#pragma pc3 type pool_get: struct node

static void pool_put(struct pool *p, void *item)
{
    memset(item, 0, p->item);
    *(void **)item = p->free;
    p->free = item;
}

/* Doubles from one block, by a cursor. */
static char *arena, *cursor, *arena_end;

static double *row(int n)
{
    double *r = (double *)(void *)cursor;
    cursor += n * sizeof(double);
    if (cursor > arena_end)
        abort();
    return r;
}

static long sum(struct node *list)
{
    long total = 0;
    for (; list; list = list->next) {
        total += list->weight * list->tag;
#pragma pc3 checkpoint
    }
    return total;
}

int main(void)
{
    struct node *list = 0, *n;
    double *rows[6];
    int i, k;

    pool_init(&nodes, sizeof(struct node));
#pragma pc3 type double
    arena = malloc(100 * 8);
    cursor = arena;
    arena_end = arena + 100 * 8;
    for (i = 0; i < 6; i++) {
        rows[i] = row(i + 1);
        for (k = 0; k <= i; k++)
            rows[i][k] = i + k / 8.0;
        for (k = 0; k < 4; k++) {
            n = pool_get(&nodes);
            n->next = list;
            n->weight = i * 10 - k;
            n->tag = (short)(k - 1);
            list = n;
        }
        if (i % 2) {
            n = list;
            list = list->next;
            pool_put(&nodes, n);
        }
#pragma pc3 checkpoint
        show("sum", sum(list));
    }
    for (i = 0; i < 6; i++)
        show_real("row", rows[i][i]);
    show("items", (long long)(nodes.total / sizeof(struct node)));
    show("left", (long long)nodes.left);
    return finish();
}
