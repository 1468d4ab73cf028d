/* pc3-test: seq abi=down */
/* An arena of chained chunks with a cursor, from which objects of four types and texts come, given up as a whole. */
#include "check.h"

struct chunk {
    struct chunk *older;
    char *at, *end;
};
struct arena {
    struct chunk *newest;
    int chunks;
};
struct item {
    struct item *next;
    const char *name;
    long value;
};
struct vector {
    double x, y, z;
};

static void *arena_alloc(struct arena *a, size_t size)
{
    struct chunk *c = a->newest;
    void *p;
    size = (size + 15) & ~(size_t)15;
    if (!c || (size_t)(c->end - c->at) < size) {
        size_t room = size > 480 ? size : 480;
        c = malloc(sizeof(struct chunk) + 16 + room);
        if (!c)
            abort();
        c->older = a->newest;
        c->at = (char *)c + ((sizeof(struct chunk) + 15) & ~(size_t)15);
        c->end = c->at + room;
        a->newest = c;
        a->chunks++;
    }
    p = c->at;
    c->at += size;
    return p;
}

static char *arena_text(struct arena *a, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(arena_alloc(a, n), text, n);
}

static void arena_reset(struct arena *a)
{
    while (a->newest) {
        struct chunk *c = a->newest;
        a->newest = c->older;
        free(c);
    }
}

static long round_of(struct arena *a, int turn)
{
    struct item *list = 0, *n;
    struct vector *vectors[8];
    int *numbers = 0, i, k;
    long sum = 0;
    for (i = 0; i < 8; i++) {
        char text[24];
        n = arena_alloc(a, sizeof *n);
        snprintf(text, sizeof text, "%d/%d", turn, i * i);
        n->name = arena_text(a, text);
        n->value = i * 1000L - turn;
        n->next = list;
        list = n;
        vectors[i] = (struct vector *)arena_alloc(a, sizeof(struct vector));
        vectors[i]->x = i;
        vectors[i]->y = i / 8.0;
        vectors[i]->z = -turn;
        numbers = arena_alloc(a, (i + 1) * sizeof(int));
        for (k = 0; k <= i; k++)
            numbers[k] = k * turn;
#pragma pc3 checkpoint
        sum += numbers[i];
    }
    for (n = list; n; n = n->next) {
        show(n->name, n->value);
        sum += n->value;
    }
#pragma pc3 checkpoint
    for (i = 0; i < 8; i++)
        sum += (long)(vectors[i]->x + 8 * vectors[i]->y + vectors[i]->z);
    return sum;
}

int main(void)
{
    struct arena a = {0, 0};
    int turn;
    for (turn = 1; turn < 4; turn++) {
        show("sum", round_of(&a, turn));
        arena_reset(&a);
#pragma pc3 checkpoint
    }
    return finish();
}
