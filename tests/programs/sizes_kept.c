/* pc3-test: seq */
/* Byte counts that live across locations: multiples of one size, in locals, parameters, members, statics, arrays of structs,
   results; among them some that other sizes or nothing at all are added to while they are 0, and some that are 0 only because static storage is. */
#include "check.h"

struct node {
    struct node *next;
    long weight;
    short tag;
};

struct table {
    const char *name;
    size_t each, used;
    int left;
};

static size_t stride = sizeof(struct node);
static size_t never;
static size_t so_far, before;
static struct { int nodes; size_t bytes; } stock;
static struct table tables[] = {
    {"nodes", sizeof(struct node), 0, 4},
    {"nodes again", sizeof(struct node), 2 * sizeof(struct node), 2},
};

static size_t room(int n) { return n * sizeof(struct node); }

static long total(struct node *list, size_t bytes)
{
    long sum = 0;
    char *end = (char *)list + bytes;
#pragma pc3 checkpoint
    for (struct node *at = list; (char *)at < end; at = (struct node *)((char *)at + stride)) {
#pragma pc3 checkpoint
        sum += at->weight;
    }
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    size_t bytes = room(5), scratch = 0;
    long *all = malloc(7 * sizeof *all);
    const size_t longs = 7 * sizeof *all;
    struct node *list = calloc(5, sizeof *list), *copy = calloc(5, sizeof *copy);
    for (int i = 0; i < 5; i++)
        list[i].weight = 10 + i;
    for (int i = 0; i < 7; i++)
        all[i] = i * i;
    if (argc > 5)
        scratch = sizeof(struct node) + (size_t)argc;
#pragma pc3 checkpoint
    memcpy(copy, list, bytes);
    bytes -= sizeof(struct node);
    show("total", total(copy, bytes));
    for (int i = 0; i < 2; i++) {
        while (tables[i].left > 0) {
            tables[i].used += tables[i].each;
            tables[i].left--;
            stock.nodes++;
            stock.bytes += 2 * sizeof(struct node);
            so_far = before + sizeof(struct node);
            before = so_far;
#pragma pc3 checkpoint
        }
        show(tables[i].name, (long long)(tables[i].used / sizeof(struct node)));
    }
    long *grown = malloc(longs);
    memset(grown, 0, longs);
#pragma pc3 checkpoint
    memcpy(grown, all, longs);
    show("last", grown[6]);
    show("count", (long long)(longs / sizeof *all));
    show("stock", (long long)(stock.bytes / sizeof(struct node)) - 2 * stock.nodes);
    show("so far", (long long)(before / sizeof(struct node)));
    show("none", (long long)(scratch + never));
    if (argc > 5)
        never = 3 * sizeof(long) + 1;
    return finish();
}
