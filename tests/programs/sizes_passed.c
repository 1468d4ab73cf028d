/* pc3-test: seq */
/* Sizes through pointers, in loops, floating-point numbers and larger expressions, that no checkpoint has: they are computed anew
 * behind it, were counted in objects, or are the same everywhere. */
#include <stdlib.h>
#include "check.h"

struct node {
    struct node *next;
    int key;
};

static void measure(size_t *to, size_t n) { *to = n; }
static int step(int n) {
#pragma pc3 checkpoint
    return n + 1;
}

int main(void) {
    struct node *list = NULL, *n;
    size_t size, words, fours;
    double share = 0;
    for (int i = 0; i < 4; i++) {
        measure(&size, sizeof(struct node));
        n = malloc(sizeof *n);
        show("size", size == sizeof *n);
        n->key = i;
        n->next = list;
        list = n;
        measure(&words, 3);
        measure(&fours, 2 * sizeof(int));
#pragma pc3 checkpoint
        size_t all = sizeof(struct node) * step(i);
        show("objects", (long)(all / sizeof(struct node)));
        share += (double)all / sizeof(struct node);
        size_t at;
        unsigned sum = 0;
        for (at = 0; at < sizeof(struct node) / sizeof(int); at++) sum += (unsigned)at;
        for (at = 0; at < words; at++) {
#pragma pc3 checkpoint
            show("at", (long)at);
        }
        show("sum", sum > 0);
        show("fours", (long)fours);
    }
    for (n = list; n; n = n->next) show("key", n->key);
    show("share", (long)share);
    return 0;
}
