/* pc3-test: seq */
/* Numbers that are one of several sizes: the larger of two, or what the callers give. The value says which one. */
#include "check.h"

#include <string.h>

struct node {
    struct node *next;
    long n;
};

struct tiny {
    char *s;
};

struct large {
    char *text[3];
    double x;
};

struct pool {
    size_t item, room;
    unsigned least;
};

static size_t latest;

static struct pool *pool_new(size_t item, size_t room)
{
    struct pool *p = malloc(sizeof *p);
    p->item = item < sizeof(void *) ? sizeof(void *) : item;
    p->room = room;
    p->least = 0;
    if (room > 4)
        p->least = (unsigned)sizeof(struct large);
    latest = p->item;
    return p;
}

static int is(const struct pool *p, size_t item)
{
    return p->item == item;
}

int main(void)
{
    struct pool *nodes = pool_new(sizeof(struct node), 4), *tiny = pool_new(sizeof(struct tiny), 9), *large = pool_new(sizeof(struct large), 2);
    size_t none = nodes->room > 5 ? sizeof(struct node) : 0;
    for (int i = 0; i < 5; i++) {
#pragma pc3 checkpoint
        show("nodes", is(nodes, sizeof(struct node)));
        show("tiny", is(tiny, sizeof(void *)));
        show("large", is(large, sizeof(struct large)));
        show("latest", latest == (i % 2 ? sizeof(void *) : sizeof(struct large)));
        show("least", tiny->least == sizeof(struct large) && nodes->least == 0);
        show("none", none == 0);
        latest = i % 2 ? large->item : tiny->item;
    }
    free(nodes);
    free(tiny);
    free(large);
    return finish();
}
