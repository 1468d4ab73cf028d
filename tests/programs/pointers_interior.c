/* pc3-test: seq */
/* Pointers to interiors, one past the end, into arrays of structures, to pointers, between
 * stack, globals and heap; ranges that start where others end. */
#include "check.h"

struct cell {
    short tag;
    double value;
    struct {
        int a[3];
        char c;
    } inner[2];
};

static struct cell cells[3];
static int left[4] = {1, 2, 3, 4}, right[4] = {5, 6, 7, 8};
static int *ends[4] = {left, left + 4, right, right + 4};
static double *value_of_last = &cells[2].value;

static int sum(const int *from, const int *to)
{
    int total = 0;
    while (from != to) {
#pragma pc3 checkpoint
        total += *from++;
    }
    return total;
}

static int *find(int *from, int *to, int wanted)
{
    for (; from < to; from++) {
#pragma pc3 checkpoint
        if (*from == wanted)
            break;
    }
    return from;
}

static void increment(int *place)
{
#pragma pc3 checkpoint
    ++*place;
}

static void swap(int **a, int **b)
{
    int *old = *a;
#pragma pc3 checkpoint
    *a = *b;
    *b = old;
}

/* The same in any order. */
static int both(const char *bytes)
{
    return bytes[0] + bytes[1];
}

int main(void)
{
    int local[5] = {10, 20, 30, 40, 50}, *p = local, *end = local + 5, **pp = &p;
    struct cell *heap = calloc(4, sizeof *heap), *last = heap + 4;
    if (!heap)
        return 1;
    char *c = &heap[2].inner[1].c;
    int (*triple)[3] = &heap[1].inner[0].a, *element = &(*triple)[1];
    double *d = &heap[3].value;
    void *anything = &cells[1].inner[1].a[2];
#pragma pc3 checkpoint
    *c = 'q';
    *element = 77;
    *d = *value_of_last = 2.5;
    *(int *)anything = 9;
    show("sum", sum(p, end));
    show("ends", sum(ends[0], ends[1]) * 100 + sum(ends[2], ends[3]));
    p = find(local, end, 30);
    increment(*pp + 1);
    increment(&local[0]);
    show("found", (p - local) * 1000 + *(p + 1));
    p = find(local, end, 99);
#pragma pc3 checkpoint
    show("past", p == end);
    show("minus", p[-1]);
    int *a = &local[1], *b = &right[2];
    swap(&a, &b);
    show("swapped", *a * 100 + *b);
    for (struct cell *cell = heap; cell != last; cell++) {
#pragma pc3 checkpoint
        show("cell", cell->inner[0].a[1] + cell->inner[1].c + (int)(cell->value * 4));
    }
    show("global", cells[1].inner[1].a[2] * 10 + (int)cells[2].value);
    struct cell *before = last - 1;
    const char *bytes = (const char *)&heap[1].tag;
    heap[1].tag = 0x1111;
#pragma pc3 checkpoint
    show("bytes", both(bytes));
    show("distance", before - heap);
    free(heap);
    heap = NULL;
#pragma pc3 checkpoint
    show("null", heap == NULL);
    return finish();
}
