/* pc3-test: seq */
/* Numbers of bytes that the program has allocated, of objects of several types: as a whole, and in two members of which one has
 * what is left until something is to be done. On another architecture they are what the objects need there. */
#include <stddef.h>
#include "check.h"

typedef void *(*allocator)(void *data, void *block, size_t old, size_t size);

struct pair { void *first; long second; };
struct node { struct node *next; struct pair pair; char *text; double weight; };

struct world {
    allocator allocate;
    void *data;
    ptrdiff_t rest;
    ptrdiff_t debt;
    struct node *nodes;
    long many;
};

static size_t all;

static void *plain(void *data, void *block, size_t old, size_t size)
{
    (void)data;
    (void)old;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static size_t total(const struct world *w) { return (size_t)(w->rest + w->debt); }

static void set_debt(struct world *w, ptrdiff_t debt)
{
    ptrdiff_t sum = (ptrdiff_t)(w->rest + w->debt);
    w->rest = sum - debt;
    w->debt = debt;
}

static void *grow(struct world *w, void *block, size_t old, size_t size)
{
    void *made = w->allocate(w->data, block, old, size);
    if (made == NULL && size > 0)
        abort();
    w->debt = (w->debt + size) - old;
    all = all + size - old;
    return made;
}

static void *make(struct world *w, size_t size)
{
    void *made = w->allocate(w->data, NULL, 0, size);
    if (made == NULL)
        abort();
    w->debt += size;
    all += size;
    return made;
}

static void drop(struct world *w, void *block, size_t size)
{
    w->allocate(w->data, block, size, 0);
    w->debt -= size;
    all -= size;
}

#define text_size(n) ((n) + 1)

static struct world *begin(allocator allocate, void *data)
{
    struct world *w = allocate(data, NULL, 0, sizeof(struct world));
    w->allocate = allocate;
    w->data = data;
    w->rest = sizeof(struct world);
    w->debt = 0;
    w->nodes = NULL;
    w->many = 0;
    all = sizeof(struct world);
    return w;
}

static void push(struct world *w, int i)
{
    struct node *n = make(w, sizeof(struct node));
    unsigned length = i * 7 % 23;
    n->text = make(w, text_size(length));
    memset(n->text, 'a' + i % 26, length);
    n->text[length] = 0;
    n->pair.first = n->text;
    n->pair.second = i;
    n->weight = i / 3.0;
    n->next = w->nodes;
    w->nodes = n;
    w->many++;
}

static void pop(struct world *w)
{
    struct node *n = w->nodes;
    w->nodes = n->next;
    drop(w, n->text, text_size(strlen(n->text)));
    drop(w, n, sizeof(struct node));
    w->many--;
}

static size_t needed(const struct world *w, size_t slots)
{
    size_t sum = sizeof(struct world) + slots * sizeof(struct pair);
    for (const struct node *n = w->nodes; n; n = n->next)
        sum += sizeof(struct node) + text_size(strlen(n->text));
    return sum;
}

int main(void)
{
    struct world *w = begin(plain, NULL);
    struct pair *pairs = NULL;
    size_t slots = 0;
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 5; k++)
            push(w, 5 * i + k);
        pairs = grow(w, pairs, slots * sizeof(struct pair), (slots + 3) * sizeof(struct pair));
        for (int k = 0; k < 3; k++) {
            pairs[slots + k].first = w->nodes;
            pairs[slots + k].second = slots + k;
        }
        slots += 3;
        if (i % 4 == 3)
            set_debt(w, -(ptrdiff_t)(100 + i));
#pragma pc3 checkpoint
        show("total", total(w) == needed(w, slots));
        show("all", all == needed(w, slots));
        for (int k = 0; k < i % 4; k++)
            pop(w);
        show("less", total(w) == needed(w, slots) && all == total(w));
        for (size_t k = 0; k < slots; k++)
            mix(pairs[k].second);
    }
    show("nodes", w->many);
    while (w->nodes)
        pop(w);
    drop(w, pairs, slots * sizeof(struct pair));
    show("left", total(w) == sizeof(struct world) && all == sizeof(struct world));
    return finish();
}
