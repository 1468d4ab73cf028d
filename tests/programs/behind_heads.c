/* pc3-test: seq */
/* Memory with a head in front of what was asked for, handed out by what is behind it, or by its head. */
#include <stddef.h>
#include "check.h"

struct head { size_t size; int kind; };
static int blocks;

static void *get(size_t n)
{
    struct head *h = malloc(sizeof *h + n);
    h->size = n;
    h->kind = 1;
    blocks++;
    return h + 1;
}

static size_t size_of(const void *p)
{
    return ((const struct head *)p - 1)->size;
}

static void drop(void *p)
{
    blocks--;
    free((struct head *)p - 1);
}

/* What is behind it begins in the place of its last member, and at that one's alignment. */
struct box { struct box *next; unsigned char tag; size_t length; union { double d; void *p; long long n; } data; };
static struct box *boxes;

static struct box *new_box(size_t n)
{
    struct box *b = malloc(offsetof(struct box, data) + n);
    b->tag = 7;
    b->length = n;
    b->next = boxes;
    boxes = b;
    return b;
}

static void *boxed(size_t n)
{
    struct box *b = new_box(n);
    return (char *)b + offsetof(struct box, data);
}

struct node { struct node *next; double v; long n; };
struct file { char name[12]; void (*close)(struct file *); };

static void closed(struct file *f) { show_text("closed", f->name); }

int main(void)
{
    struct node *list = NULL;
    struct file *file = boxed(sizeof *file);
    long *numbers = boxed(5 * sizeof *numbers);
    strcpy(file->name, "a file");
    file->close = closed;
    for (int k = 0; k < 5; k++)
        numbers[k] = 100 + k;
    for (int i = 0; i < 16; i++) {
#pragma pc3 checkpoint
        struct node *n = get(sizeof *n);
        n->next = list;
        n->v = i * 1.5;
        n->n = i;
        list = n;
        if (i % 3 == 0 && n->next) {
            struct node *old = n->next;
            n->next = old->next;
            drop(old);
        }
        for (n = list; n; n = n->next)
            if (size_of(n) != sizeof *n)
                show("another size", n->n);
        numbers[i % 5] += i;
    }
    for (struct node *n = list; n; n = n->next)
        show_real("node", n->v * n->n);
    for (int k = 0; k < 5; k++)
        show("number", numbers[k]);
    file->close(file);
    show("blocks", blocks);
    show("sizes", boxes->length == 5 * sizeof(long) && boxes->next->length == sizeof(struct file));
    return finish();
}
