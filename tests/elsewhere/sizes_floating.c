/* pc3-test: seq */
/* A size in a floating-point number. */
#include <stdio.h>

struct node {
    struct node *next;
    int key;
};
static double used;

static void note(double bytes) { used += bytes; }

int main(void) {
    unsigned long n = sizeof(struct node);
    note(n * 4);
#pragma pc3 checkpoint
    note(0.5);
    printf("%d\n", used == 4 * sizeof(struct node) + 0.5);
    return 0;
}
