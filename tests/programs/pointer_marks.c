/* pc3-test: seq abi=wide */
/* Numbers kept in pointers as marks: small ones, (void *)-1, in locals, globals and on the heap. */
#include "check.h"

#define NOTHING ((struct node *)-1)
#define DELETED ((struct node *)1)
#define POISON ((struct node *)0xdead4eadUL)

struct node {
    struct node *next;
    void *owner;
    int value;
};

static void *last = (void *)-1;
static struct node *poison = POISON;
static void (*handler)(int) = (void (*)(int))1;

/* Numbers in places for pointers, taken out again as numbers. */
static char *table[][3] = {{"seven", "VII", (char *)7}, {"forty thousand", "-", (char *)40000}};
static long latest;

static void *find(const char *name)
{
    for (int i = 0; i < 2; i++)
        if (!strcmp(table[i][0], name))
            return table[i][2];
    return (void *)(long)-1;
}

static int number(const char *name)
{
    int found = (long)find(name);
    unsigned long same = (unsigned long)find(name);
    latest = (long)find(name);
#pragma pc3 checkpoint
    return found == (int)same ? (int)latest : 0;
}

static int walk(struct node *from, void *mark)
{
    int total = 0;
    while (from != NOTHING) {
#pragma pc3 checkpoint
        if (from->owner == mark)
            total += from->value;
        from = from->next;
    }
    return total;
}

int main(void)
{
    struct node *list[4] = {0, DELETED, NOTHING, 0}, *head = NOTHING;
    for (int i = 0; i < 6; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            return EXIT_FAILURE;
        n->next = head;
        n->owner = i % 2 ? (void *)12 : last;
        n->value = i * i;
        head = n;
#pragma pc3 checkpoint
        show("marks", list[1] == DELETED && list[2] == NOTHING && !list[0] && last == (void *)-1);
    }
    show("twelve", walk(head, (void *)12));
    show("minus one", walk(head, last));
    show("seven", number("seven"));
    show("more", number("forty thousand"));
    show("none", number("eight"));
    show("handler", handler == (void (*)(int))1);
    while (head != NOTHING) {
        struct node *n = head;
        head = n->next;
        free(n);
    }
    printf("%d\n", poison == POISON);
    return finish();
}
