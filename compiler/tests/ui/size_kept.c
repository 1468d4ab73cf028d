// Sizes that a checkpoint keeps: multiples of one are converted; those that are used at once, or are the same everywhere, are fine.
#include <pc3.h>
#include <stdlib.h>
struct node { struct node *next; long weight; };
struct pool { size_t item, step; char *block; };
union either { size_t bytes; int left; };
static struct pool pool;
static size_t stride = sizeof(struct node);
static const size_t constant = sizeof(struct node);
static size_t header = 16, sizes[4];
static void *anywhere = sizes;
static union either either;
static int count;
void make(struct pool *p, size_t item) {
    p->item = item;
    p->block = malloc(item * 10);
    p->step = sizeof(double);
}
static size_t rounded(size_t n) { return (n + 15) & ~(size_t)15; }
int main(void) {
    struct node *all = malloc(10 * sizeof *all), *list[8];
    size_t bytes = 10 * sizeof *all, used = 10 * sizeof *all, whole = rounded(sizeof *all);
    make(&pool, sizeof(struct node));
    header += sizeof(struct pool);
    sizes[1] = sizeof(long);
    either.bytes = sizeof list;
    count = used / sizeof *all + sizeof list / sizeof list[0];
    all->weight = constant;
    pc3_checkpoint();
    return (int)(bytes + stride + whole + header) + count + (all == 0);
}
