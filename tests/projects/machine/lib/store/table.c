#include "store.h"
#include "util.h"
#include <string.h>

struct table {
    int buckets;
    long count;
    struct list *bucket;
};

struct table *table_new(int buckets) {
    struct table *t = store_get(sizeof *t);
    t->buckets = buckets;
    t->count = 0;
    t->bucket = store_get_zeroed(buckets, sizeof *t->bucket);
    for (int i = 0; i < buckets; i++) list_init(&t->bucket[i]);
    return t;
}

struct item *table_find(struct table *t, const char *name) {
    struct list *l = &t->bucket[hash_text(name) % t->buckets];
    for (struct item *i = l->first; i; i = i->next)
        if (!strcmp(i->name, name)) return i;
    return 0;
}

struct item *table_set(struct table *t, const char *name, double value) {
    struct item *i = table_find(t, name);
    if (!i) {
        t->count++;
        return list_add(&t->bucket[hash_text(name) % t->buckets], name, value);
    }
    i->value = value;
    return i;
}

/* The visitor may take a checkpoint: this frame is then on the stack. */
void table_each(struct table *t, visit_function *visit, void *context) {
    for (int b = 0; b < t->buckets; b++)
        for (struct item *i = t->bucket[b].first; i; i = i->next) visit(i, context);
}

void table_free(struct table *t) {
    for (int b = 0; b < t->buckets; b++) list_clear(&t->bucket[b]);
    store_put(t->bucket);
    store_put(t);
}
