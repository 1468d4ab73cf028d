/* pc3-test: seq */
/* A little of everything that a checkpoint holds; prints as it goes. */
#include <stdio.h>
#include <stdlib.h>

struct node { int key; struct node *next; double weight[3]; };
static struct node *head;
static double field[64];

static void step(int i) {
    struct node *n = malloc(sizeof *n);
    n->key = i;
    n->next = head;
    n->weight[i % 3] = 1.0 / (i + 1);
    head = n;
    field[i % 64] += n->weight[i % 3];
#pragma pc3 checkpoint
    printf("step %d %.17g\n", i, field[i % 64]);
}

int main(void) {
    for (int i = 0; i < 12; i++)
        step(i);
    int sum = 0;
    for (struct node *n = head; n; n = n->next)
        sum = sum * 3 + n->key;
    printf("sum %d\n", sum);
    return 0;
}
