/* pc3-test: seq */
/* Objects with unions in unions, of whose members pointers are kept: written through those, cleared, copied, handed out
 * again as something else, with several stores one behind the other, and by the names of arrays. */
#include "check.h"

#include <string.h>

struct node {
    union {
        struct {
            union { struct node *node; long number; } left;
            union { struct node *node; double weight; } right;
            char *name;
        } tree;
        struct { double number; const char *text; long length; } value;
    } u;
    int kind;
    struct node *next;
};

static struct node *idle, *nodes[6], **slot, copies[2];

static struct node *made(int kind)
{
    struct node *n = idle;
    if (n)
        idle = n->next;
    else
        n = malloc(sizeof *n);
    memset(n, 0, sizeof *n);
    n->kind = kind;
    return n;
}

static void release(struct node *n)
{
    n->next = idle;
    idle = n;
}

static struct node *value(double number, const char *text)
{
    struct node *n = made(1);
    n->u.value.number = number;
    n->next = NULL;
    n->u.value.length = 3;
    n->u.value.text = text;
    n->u.value.length += (long)strlen(text);
    return n;
}

static struct node *tree(struct node *left, double weight, char *name)
{
    struct node *n = made(2);
    n->u.tree.left.node = left;
    n->u.tree.right.weight = weight;
    n->u.tree.name = name;
    return n;
}

static struct node **kept(struct node *n)
{
    return &n->u.tree.left.node;
}

union cell { long number; unsigned char byte; };
static union cell cells[2], table[2][2];

static long first_of_arrays(int n)
{
    union cell sized[n + 1];
    long *of = &sized->number;
    *of = n;
    *(&cells->number) += *of;
    (&table[1]->number)[0] -= *(&cells->number);
    (&(cells + 1)->number)[0]++;
    return sized->number + cells->number + cells[1].number;
}

static void tell(const struct node *n)
{
    show("kind", n->kind);
    if (n->kind == 1) {
        show_real("number", n->u.value.number);
        show("length", n->u.value.length);
        show("text", n->u.value.text[0]);
    } else {
        show("left", n->u.tree.left.node->kind);
        show_real("weight", n->u.tree.right.weight);
        show("name", n->u.tree.name[1]);
    }
}

int main(void)
{
    char names[] = "abcdef";
    for (int i = 0; i < 12; i++) {
        struct node **at = &nodes[i % 6];
        if (*at) {
            slot = NULL;
            release(*at);
        }
        struct node *before = nodes[(i + 5) % 6];
        if (i % 3 == 0 || !before) {
            *at = value(i / 4.0, names + i % 4);
        } else {
            *at = tree(before, i * 1.5, names + i % 4);
            slot = kept(*at);
        }
        memcpy(&copies[0], *at, sizeof copies[0]);
        copies[1] = copies[0];
        if (slot && i % 2)
            *slot = nodes[0];
        long sum = first_of_arrays(i);
#pragma pc3 checkpoint
        for (int k = 0; k < 6 && nodes[k]; k++)
            tell(nodes[k]);
        tell(&copies[1]);
        show("cells", sum + table[1]->number);
    }
    return finish();
}
