/* pc3-test: seq */
// run: on=i686 PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest
/* What a pool on 32 bits hands out has no room for a pointer of 64. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int number;
};

static char *block, *at;

static void *deal(size_t bytes)
{
    void *piece = at;
    at += bytes;
    return piece;
}

int main(void)
{
    struct node *first = NULL;
    at = block = calloc(1, 1000);
    for (int i = 0; i < 4; i++) {
        struct node *n = deal(sizeof *n);
        n->next = first;
        n->number = i;
        first = n;
#pragma pc3 checkpoint
    }
    for (; first; first = first->next)
        printf("%d\n", first->number);
    free(block);
    return 0;
}
