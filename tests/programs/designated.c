/* pc3-test: seq */
/* Designated initialisers and compound literals, with calls in them. */
#include "check.h"

enum colour { RED, GREEN, BLUE, COLOURS };
struct item {
    const char *name;
    int counts[4];
    struct {
        double low, high;
    } range;
    struct item *parent;
};

static const char *const colours[COLOURS] = {[BLUE] = "blue", [RED] = "red", [GREEN] = "green"};
static struct item root = {.name = "root", .counts = {[1] = 5, 6}, .range.high = 2.5};
static int sparse[20] = {[3] = 3, [10] = 10, 11, [19] = 19};

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static int total(const struct item *item)
{
    int sum = 0;
    for (; item; item = item->parent) {
#pragma pc3 checkpoint
        for (int i = 0; i < 4; i++)
            sum = sum * 2 + item->counts[i];
    }
    return sum;
}

static int sum(const int *values, int count)
{
    int total = 0;
    while (count-- > 0)
        total += tick(values[count]);
    return total;
}

int main(void)
{
    struct item leaf = {.parent = &root, .counts = {tick(1), [3] = tick(3)}, .range = {.low = tick(6) / 2.0}};
    leaf.name = colours[tick(RED)];
    show("total", total(&leaf));
    show("literal", total(&(struct item){.parent = &leaf, .counts[2] = tick(8)}));
    show("sum", sum((int[]){1, 2, [5] = tick(10)}, 6));
    show("sparse", sum(sparse, 20));
    int table[][3] = {{tick(0)}, {[2] = tick(1)}, {[1] = tick(2), tick(3)}};
    for (int r = 0; r < 3; r++)
        show("table", table[r][0] * 100 + table[r][1] * 10 + table[r][2]);
    struct item *p = &(struct item){.name = "temporary", .range = {1, 2}, .parent = NULL};
#pragma pc3 checkpoint
    p->parent = &leaf;
    tick(0);
    leaf = (struct item){.name = p->name, .counts = {[0] = p->parent->counts[3]}};
    show_text("name", leaf.name);
    show_text("colour", colours[tick(GREEN)]);
    show_real("range", root.range.high + leaf.range.low + p->range.high);
    show("counts", leaf.counts[0]);
    return finish();
}
