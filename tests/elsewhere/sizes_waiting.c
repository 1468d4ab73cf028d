/* pc3-test: seq */
/* A size that waits for a call which takes the checkpoint. */
#include <stdio.h>

struct node {
    struct node *next;
    int key;
};
static unsigned long passed;

static unsigned long next(unsigned long n) {
#pragma pc3 checkpoint
    return n + passed++;
}

int main(void) {
    unsigned long n = 2;
    unsigned long sum = n * sizeof(struct node) + (next(5) && n++);
    printf("%d %lu\n", sum == 2 * sizeof(struct node) + 1, n);
    return 0;
}
