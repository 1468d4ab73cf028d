/* pc3-test: seq args=12 */
/* Lists on the heap: single with a pointer to the last link, doubly linked ring, merge sort. */
#include "check.h"

struct link {
    int value;
    struct link *next;
};
struct ring {
    struct ring *next, *previous;
    char label;
};

static struct link *head, **end = &head;
static unsigned state = 12345;

static int random_value(void)
{
    state = (state * 1103515245u + 12345u) & 0x7fffffffu;
    return (int)(state >> 16 & 255);
}

static void append(int value)
{
    struct link *l = malloc(sizeof *l);
    if (!l)
        exit(1);
    l->value = value;
    l->next = NULL;
#pragma pc3 checkpoint
    *end = l;
    end = &l->next;
}

static struct link *merge(struct link *a, struct link *b)
{
    struct link first = {0, NULL}, *last = &first;
    while (a && b) {
        struct link **from = a->value <= b->value ? &a : &b;
#pragma pc3 checkpoint
        last->next = *from;
        last = last->next;
        *from = (*from)->next;
    }
    last->next = a ? a : b;
    return first.next;
}

static struct link *sort(struct link *list)
{
    if (!list || !list->next)
        return list;
    struct link *slow = list, *fast = list->next;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    struct link *second = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(second));
}

static struct ring *insert(struct ring *after, char label)
{
    struct ring *r = malloc(sizeof(struct ring));
    if (!r)
        exit(1);
    r->label = label;
    if (!after) {
        r->next = r->previous = r;
        return r;
    }
    r->previous = after;
    r->next = after->next;
#pragma pc3 checkpoint
    after->next->previous = r;
    after->next = r;
    return r;
}

static int last_one(struct ring *r, int step)
{
    while (r->next != r) {
        for (int i = 1; i < step; i++)
            r = r->next;
        struct ring *gone = r;
        r->previous->next = r->next;
        r->next->previous = r->previous;
        r = r->next;
        mix(gone->label);
        free(gone);
#pragma pc3 checkpoint
    }
    int label = r->label;
    free(r);
    return label;
}

typedef struct link item;

/* A name of a type, and a pointer without a value, begin the loop's head. */
static int lengths(void)
{
    int steps = 0;
    for (item *next, *l = head; l; l = next) {
        next = l->next;
        for (item *inner; steps < 40; steps += (int)(sizeof inner / sizeof l)) {
            inner = l;
#pragma pc3 checkpoint
            if (inner->value & 1)
                break;
        }
        steps++;
    }
    return steps;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 12;
    for (int i = 0; i < count; i++)
        append(random_value());
    head = sort(head);
    show("lengths", lengths());
    for (struct link *l = head, *next; l; l = next) {
#pragma pc3 checkpoint
        next = l->next;
        show("sorted", l->value);
        free(l);
    }
    struct ring *r = NULL;
    for (char c = 'a'; c < 'k'; c++)
        r = insert(r, c);
    show("last", last_one(r->next, 3));
    return finish();
}
