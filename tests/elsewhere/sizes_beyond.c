/* pc3-test: seq */
/* Sizes that get to where they are kept through pointers. */
#include <stddef.h>
#include <stdio.h>

struct node {
    struct node *next;
    int key;
};
static struct cache {
    size_t item, left;
} cache;

static void measure(size_t *to, size_t n) { *to = n; }
static void both(struct cache *c, size_t *all) {
    measure(&c->item, sizeof(struct node));
    measure(all, 10 * c->item);
}

int main(void) {
    size_t total, count = 3;
    both(&cache, &total);
    measure(&cache.left, 7);
#pragma pc3 checkpoint
    printf("%d %d %zu %zu\n", cache.item == sizeof(struct node), total == 10 * sizeof(struct node), cache.left, count);
    return 0;
}
