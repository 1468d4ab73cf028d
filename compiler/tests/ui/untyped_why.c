#include <pc3.h>
#include <stdlib.h>
struct node { struct node *next; };
struct head { struct node *first; int n; };
struct other { double d; void *p; };
struct secret;
struct secret *hidden;
void *(*through)(size_t);
struct header { size_t n; };
static void *behind(size_t n) {
    struct header *h = malloc(sizeof *h + n);
    h->n = n;
    return h + 1;
}
static void *spaced(size_t n) {
    char *p = malloc(n + 16);
    return p + 16;
}
static struct header *whole(size_t n) {
    struct header *h = malloc(sizeof(struct header) + n);
    return h;
}
int main(int argc, char **argv) {
    struct node **lists = behind(8);
    struct other *wrong = malloc(3 * sizeof(struct node));
    void *more = malloc(sizeof(struct node) + 3);
    void *sum = malloc(argc * sizeof(struct node) + argc * sizeof(struct other));
    void *unclear = malloc(sizeof(struct node) * sizeof(struct other));
    void *looked = malloc(argc);
    ((struct node *)looked)->next = 0;
    ((struct other *)looked)->d = 1;
    hidden = malloc(8);
    struct secret *of_size = malloc(argc * sizeof *lists[0]);
    pc3_checkpoint();
    for (int i = 0; i < 2; i++)
        through = i ? malloc : behind;
    return lists && wrong && more && sum && unclear && looked && argv && of_size && spaced(3) && whole(argc) && through(1);
}
