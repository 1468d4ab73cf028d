// Sizes that a checkpoint keeps; those that are used at once, or are the same everywhere, are fine.
#include <pc3.h>
#include <stdlib.h>
struct node { struct node *next; long weight; };
struct pool { size_t item, step; char *block; };
static struct pool pool;
static size_t stride = sizeof(struct node);
static const size_t constant = sizeof(struct node);
static int count;
void make(struct pool *p, size_t item) {
    p->item = item;
    p->block = malloc(item * 10);
    p->step = sizeof(double);
}
int main(void) {
    struct node *all = malloc(10 * sizeof *all), *list[8];
    size_t bytes = 10 * sizeof *all, used = 10 * sizeof *all;
    make(&pool, sizeof(struct node));
    count = used / sizeof *all + sizeof list / sizeof list[0];
    all->weight = constant;
    pc3_checkpoint();
    return (int)(bytes + stride) + count + (all == 0);
}
