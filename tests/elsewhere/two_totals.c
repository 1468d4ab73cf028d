/* pc3-test: seq */
/* Two numbers of bytes that are allocated, each of objects of its own: their sum says nothing of either. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long key;
};
struct pair {
    void *first;
    short second[3];
};

static struct {
    size_t young, old;
    struct node *list;
    struct pair *pairs;
} heap;

static void *make(size_t size) {
    void *made = malloc(size);
    heap.young += size;
    return made;
}

static void drop(void *block, size_t size) {
    free(block);
    heap.young -= size;
}

static size_t total(void) { return heap.young + heap.old; }

static void promote(size_t size) {
    heap.young -= size;
    heap.old += size;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        struct node *n = make(sizeof(struct node));
        struct pair *p = make(sizeof(struct pair));
        n->next = heap.list;
        n->key = i;
        p->first = heap.pairs;
        heap.list = n;
        heap.pairs = p;
        promote(sizeof(struct pair));
#pragma pc3 checkpoint
        drop(make(sizeof(struct node)), sizeof(struct node));
        printf("%d %d\n", heap.young == (i + 1) * sizeof(struct node),
               total() == (i + 1) * (sizeof(struct node) + sizeof(struct pair)));
    }
    return 0;
}
