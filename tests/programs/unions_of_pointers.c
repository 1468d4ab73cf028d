/* pc3-test: seq */
/* Unions whose members convert alike: pointers to different things, numbers under several names. */
#include "check.h"

struct node { int kind; double weight; };

union link { struct node *node; int *number; const char *text; void *any; };
union vector { struct { double x, y; } at; double v[2]; };

struct item { union link to; union vector place; struct item *next; };

typedef union { int *one; unsigned *other; } either __attribute__((transparent_union));

static int numbers[4] = { 3, 1, 4, 1 };
static union link first;

static struct item *build(int n)
{
    struct item *list = 0;
    for (int i = 0; i < n; i++) {
        struct item *it = malloc(sizeof *it);
        it->next = list;
        it->place.at.x = i;
        it->place.v[1] = i / 4.0;
        switch (i % 3) {
        case 0:
            it->to.node = malloc(sizeof *it->to.node);
            it->to.node->kind = i;
            it->to.node->weight = i * 0.5;
            break;
        case 1: it->to.number = &numbers[i % 4]; break;
        default: it->to.text = "text" + i % 4; break;
        }
        list = it;
#pragma pc3 checkpoint
    }
    return list;
}

static int take(either e, int by)
{
    *e.one += by;
#pragma pc3 checkpoint
    return *e.one - by;
}

int main(void)
{
    struct item *list = build(9);
    union link here;
    int i = 8;
    first.node = 0;
    for (struct item *it = list; it; it = it->next, i--) {
        here = it->to;
#pragma pc3 checkpoint
        switch (i % 3) {
        case 0:
            show_real("node", here.node->weight + here.node->kind);
            first = here;
            break;
        case 1: show("number", *here.number); break;
        default: show_text("text", here.text); break;
        }
        show_real("at", it->place.v[0] + it->place.at.y);
    }
    show("first", first.node->kind);
    show("taken", take(&numbers[2], 3));
    show("and kept", numbers[2]);
    return finish();
}
