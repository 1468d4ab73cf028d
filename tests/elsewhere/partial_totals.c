/* pc3-test: seq */
/* Numbers of bytes that are allocated, but not of all that is: nobody knows which objects are in them. */
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

static size_t used;
static struct node *list;
static struct pair *other;

static void *make(size_t size) {
    void *made = malloc(size);
    used += size;
    return made;
}

static void drop(void *block, size_t size) {
    free(block);
    used -= size;
}

int main(void) {
    other = malloc(sizeof(struct pair));
    other->first = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *n = make(sizeof(struct node));
        struct pair *p = make(sizeof(struct pair));
        n->next = list;
        n->key = (long)(used > 1000);
        p->first = n;
        list = n;
#pragma pc3 checkpoint
        drop(make(sizeof(struct pair)), sizeof(struct pair));
        printf("%d\n", used == (i + 1) * (sizeof(struct node) + sizeof(struct pair)));
    }
    return other->first != NULL;
}
