/* pc3-test: seq abi=down */
/* Pools of three types behind one function that knows items by their size, with lists of free items through the items. */
#include "check.h"

struct pool {
    size_t item;
    void *free;
    struct chunk *chunks;
    long used;
};
struct chunk {
    struct chunk *next;
};
struct point {
    double x, y;
    short tag;
};
struct word {
    struct word *next;
    char *text;
    long count;
};
struct edge {
    struct point *from, *to;
    struct word *label;
};

static struct pool *pool_new(size_t size)
{
    struct pool *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->item = size;
    return p;
}

static void pool_grow(struct pool *p)
{
    struct chunk *c = malloc(sizeof *c + 5 * p->item);
    char *at = (char *)(c + 1);
    int i;
    if (!c)
        abort();
    c->next = p->chunks;
    p->chunks = c;
    for (i = 0; i < 5; i++) {
        *(void **)at = p->free;
        p->free = at;
        at += p->item;
    }
}

static void *pool_get(struct pool *p)
{
    void *item;
    if (!p->free)
        pool_grow(p);
    item = p->free;
    p->free = *(void **)item;
    p->used++;
    return item;
}

static void pool_put(struct pool *p, void *item)
{
    *(void **)item = p->free;
    p->free = item;
    p->used--;
}

static void pool_end(struct pool *p)
{
    while (p->chunks) {
        struct chunk *c = p->chunks;
        p->chunks = c->next;
        free(c);
    }
    free(p);
}

int main(void)
{
    struct pool *points = pool_new(sizeof(struct point)), *words = pool_new(sizeof(struct word)),
                *edges = pool_new(sizeof(struct edge));
    struct point *all[12];
    struct edge *kept[12];
    struct word *list = 0;
    int i;
    for (i = 0; i < 12; i++) {
        struct word *w = pool_get(words);
        char text[20];
        snprintf(text, sizeof text, "word %d", i * i);
        w->text = strcpy(malloc(strlen(text) + 1), text);
        w->count = 100000 - i;
        w->next = list;
        list = w;
        all[i] = pool_get(points);
        all[i]->x = i / 4.0;
        all[i]->y = -i;
        all[i]->tag = (short)i;
        kept[i] = pool_get(edges);
        kept[i]->from = all[i];
        kept[i]->to = all[i / 2];
        kept[i]->label = w;
#pragma pc3 checkpoint
        if (i % 3 == 2) {
            struct edge *e = kept[i - 1];
            show_real("gone", e->from->x + e->to->y);
            pool_put(edges, e);
            kept[i - 1] = 0;
#pragma pc3 checkpoint
        }
    }
    for (i = 0; i < 12; i++) {
#pragma pc3 checkpoint
        if (!kept[i])
            continue;
        show(kept[i]->label->text, kept[i]->label->count + kept[i]->from->tag);
        if (i % 2) {
            pool_put(points, kept[i]->from);
            pool_put(edges, kept[i]);
        }
    }
    show("points", points->used);
    show("edges", edges->used);
    for (i = 0; i < 4; i++) {
        struct edge *e = pool_get(edges);
        e->from = e->to = pool_get(points);
        e->from->x = i;
        e->from->y = 0;
        e->label = list;
        kept[i] = e;
#pragma pc3 checkpoint
    }
    for (i = 0; i < 4; i++)
        show_real("x", kept[i]->from->x);
    while (list) {
        struct word *w = list;
        list = w->next;
        show(w->text, w->count);
        free(w->text);
        pool_put(words, w);
    }
#pragma pc3 checkpoint
    show("words", words->used);
    pool_end(points);
    pool_end(words);
    pool_end(edges);
    return finish();
}
