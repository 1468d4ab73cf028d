/* pc3-test: seq */
/* What all that was allocated came to earlier: nobody knows which objects were there then. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long key;
};

static size_t used, before;
static struct node *list;

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
    void **first = make(sizeof(void *));
    *first = NULL;
    for (int i = 0; i < 3; i++) {
        before = used;
        struct node *n = make(sizeof(struct node));
        n->next = list;
        list = n;
#pragma pc3 checkpoint
        printf("%d %d\n", used - before == sizeof(struct node), used > sizeof(struct node));
    }
    drop(first, sizeof(void *));
    return used != 3 * sizeof(struct node);
}
