#include "store.h"

void list_init(struct list *l) {
    l->first = 0;
    l->last = &l->first;
    l->length = 0;
}

struct item *list_add(struct list *l, const char *name, double value) {
    struct item *i = store_get(sizeof *i);
    i->next = 0;
    i->name = store_copy(name);
    i->value = value;
    *l->last = i;
    l->last = &i->next;
    l->length++;
    return i;
}

void list_clear(struct list *l) {
    while (l->first) {
        struct item *i = l->first;
        l->first = i->next;
        store_put((char *)i->name);
        store_put(i);
    }
    list_init(l);
}
