#ifndef STORE_H
#define STORE_H
#include <stddef.h>

/* Wrappers of the allocator: what they return has the type that the caller gives it. */
void *store_get(size_t size);
void *store_get_zeroed(size_t count, size_t size);
char *store_copy(const char *text);
void store_put(void *p);
long store_live(void);

struct list {
    struct item *first, **last;
    long length;
};
struct item {
    struct item *next;
    const char *name;
    double value;
};
void list_init(struct list *l);
struct item *list_add(struct list *l, const char *name, double value);
void list_clear(struct list *l);

struct table;
typedef void visit_function(struct item *item, void *context);
struct table *table_new(int buckets);
struct item *table_find(struct table *t, const char *name);
struct item *table_set(struct table *t, const char *name, double value);
void table_each(struct table *t, visit_function *visit, void *context);
void table_free(struct table *t);

#endif
