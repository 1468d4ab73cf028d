/* pc3-test: seq */
/* Tables that keep how far a member is from its struct, and from another: x86-64 and i686, the wrong items would be found. */
#include <stdint.h>
#include <stdio.h>

struct handle {
    struct handle *next;
    int key;
};
static struct item {
    const char *name;
    long weight;
    struct handle hh;
} items[] = {{"a", 1, {0, 7}}, {"b", 2, {0, 8}}};
static struct table {
    struct handle *head;
    long offset;
} table;

static void add(struct item *item) {
    table.offset = (char *)(&(item)->hh) - (char *)(item);
    item->hh.next = table.head;
    table.head = &item->hh;
}
static long apart;

int main(void) {
    add(&items[0]);
    add(&items[1]);
    apart = (intptr_t)&items[0].hh.key - (intptr_t)&items[0].hh.next;
    for (struct handle *h = table.head; h; h = h->next) {
#pragma pc3 checkpoint
        struct item *item = (struct item *)((char *)h - table.offset);
        printf("%s %ld %d\n", item->name, item->weight, *(int *)((char *)&h->next + apart));
    }
    return 0;
}
