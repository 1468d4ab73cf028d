/* pc3-test: seq */
/* Tables keyed by addresses of objects, of variables and of functions: hashed to 32 bits, so that an object's number may stay what
 * it was where the object has moved; so are parts of objects that lie elsewhere in them on the target. A seed made of addresses is kept, and never an address again. */
#include <limits.h>
#include "check.h"

struct item { const void *key; int value; struct item *next; };
struct table { unsigned size; struct item **slots; };
struct thing { int id; double weight; struct thing *next; };
struct inner { int id; };
struct outer { char room[sizeof(void *)]; struct inner in; long more; struct inner last[2]; struct outer *next; };

#define number_of(p) ((unsigned)((size_t)(p) & UINT_MAX))
#define slot_of(t, p) (&(t)->slots[number_of(p) % (((t)->size - 1) | 1)])

static unsigned seed;
static int first, second;

static int plus(int a, int b) { return a + b; }
static int times(int a, int b) { return a * b; }

static unsigned mixed(const char *text, size_t n, unsigned h)
{
    for (; n > 0; n--)
        h ^= (h << 5) + (h >> 2) + (unsigned char)text[n - 1];
    return h;
}

static unsigned make_seed(const struct thing *t)
{
    char bytes[2 * sizeof(size_t)];
    unsigned h = 7;
    size_t n = (size_t)t;
    memcpy(bytes, &n, sizeof n);
    n = (size_t)&h;
    memcpy(bytes + sizeof n, &n, sizeof n);
    return mixed(bytes, sizeof bytes, h);
}

static void put(struct table *t, const void *key, int value)
{
    struct item *i = malloc(sizeof *i), **slot = slot_of(t, key);
    i->key = key;
    i->value = value;
    i->next = *slot;
    *slot = i;
}

static int get(const struct table *t, const void *key)
{
    const struct item *i = *slot_of(t, key);
    while (i && i->key != key)
        i = i->next;
    return i ? i->value : -1;
}

static int drop(struct table *t, const void *key)
{
    struct item **i = slot_of(t, key), *old;
    while (*i && (*i)->key != key)
        i = &(*i)->next;
    if (!(old = *i))
        return 0;
    *i = old->next;
    free(old);
    return 1;
}

int main(void)
{
    struct table t = { 32, calloc(32, sizeof(struct item *)) };
    struct item *by_function[8] = { 0 };
    struct inner *parts[36];
    struct outer *outers = NULL;
    int (*functions[])(int, int) = { plus, times };
    struct thing *all = NULL;
    put(&t, &first, 1001);
    put(&t, &second, 1002);
    put(&t, &all, 1003);
    for (int k = 0; k < 2; k++) {
        struct item *i = malloc(sizeof *i);
        i->value = k;
        i->next = by_function[number_of(functions[k]) % 7];
        by_function[number_of(functions[k]) % 7] = i;
    }
    for (int i = 0; i < 12; i++) {
        struct thing *n = malloc(sizeof *n);
        n->id = i;
        n->weight = i * .5;
        n->next = all;
        all = n;
        put(&t, n, i * 10);
        if (!seed)
            seed = make_seed(n) | 1;
        struct outer *o = malloc(sizeof *o);
        o->next = outers;
        outers = o;
        parts[3 * i] = &o->in;
        parts[3 * i + 1] = &o->last[0];
        parts[3 * i + 2] = &o->last[1];
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            parts[k]->id = k;
            put(&t, parts[k], 2000 + k);
        }
        const unsigned before = seed;
#pragma pc3 checkpoint
        int found = 0, lost = 0;
        for (struct thing *p = all; p; p = p->next)
            if (get(&t, p) == p->id * 10)
                found++;
            else
                lost++;
        show("found", found);
        show("lost", lost);
        show("variables", get(&t, &first) + get(&t, &second) + get(&t, &all));
        int inside = 0;
        for (int k = 0; k < 3 * i + 3; k++)
            inside += get(&t, parts[k]) == 2000 + parts[k]->id;
        show("parts", inside);
        show("same seed", before == seed);
        for (int k = 0; k < 2; k++) {
            const struct item *f = by_function[number_of(functions[k]) % 7];
            while (f && f->value != k)
                f = f->next;
            show("function", f ? functions[f->value](i, 3) : -1);
        }
        if (i % 4 == 3) {
            struct thing *old = all->next;
            show("dropped", drop(&t, old));
            all->next = old->next;
            free(old);
        }
    }
    return finish();
}
