/* pc3-test: seq */
/* What types cannot say, in words: integers that hold addresses, with and without tags; the types of allocations;
   variables that are computed anew; functions called around checkpoints; unions that are variables. */
#include "check.h"
#include <stdint.h>

/* A value is a small number, or a cell whose kind stands in the low bits. */
typedef struct cell {
    intptr_t head, tail;
} cell;
#pragma pc3 pointer cell.head tags 3 = 0 | 2
#pragma pc3 pointer cell.tail tags 3 = 0 | 2

static intptr_t number(int n) { return (intptr_t)n * 4 + 1; }
static int is_number(intptr_t v) { return (v & 1) != 0; }
static cell *at(intptr_t v) { return (cell *)(v & ~(intptr_t)3); }

static intptr_t cons(intptr_t head, intptr_t tail, int quoted)
{
    cell *c = malloc(sizeof *c);
    c->head = head;
    c->tail = tail;
    return (intptr_t)c | (quoted ? 2 : 0);
}
#pragma pc3 pointer cons.head tags 3 = 0 | 2
#pragma pc3 pointer cons.tail tags 3 = 0 | 2

static long total(intptr_t v)
{
    long sum = 0;
    while (v) {
        if (is_number(v))
            return sum + v / 4;
        sum += total(at(v)->head) * ((v & 2) ? -1 : 1);
#pragma pc3 checkpoint
        v = at(v)->tail;
    }
    return sum;
}
#pragma pc3 pointer total.v tags 3 = 0 | 2

/* Addresses in rows of numbers: of the program, in a struct, on the heap. */
static uint64_t roots[5];
#pragma pc3 pointer roots
static struct table {
    uintptr_t *slots;
    int used;
    uintptr_t spare[2];
} table;
#pragma pc3 pointer table.slots
#pragma pc3 pointer table.spare

static void fill(int n)
{
    int i;
    table.slots = malloc(n * sizeof *table.slots);
    for (i = 0; i < n; i++) {
        int *p = malloc(sizeof *p);
        *p = i * i;
        table.slots[i] = (uintptr_t)p;
    }
    table.used = n;
    table.spare[1] = (uintptr_t)&table.used;
}

/* Memory of which only the program's author knows what it is. */
struct node {
    struct node *next;
    long weight;
    short tag;
};

static void *raw(int kind, int n)
{
    void *p;
#pragma pc3 type struct node
    if (kind) p = calloc(1, kind * 64 * n);
    else p = 0;
    return p;
}

static void *words(int n)
{
    return malloc((size_t)n * 16);
}
#pragma pc3 type words: struct node *

/* Left out of checkpoints. */
static double squares[300];
static int computed;
static void square(void)
{
    int i;
    for (i = 0; i < 300; i++)
        squares[i] = i * (double)i;
    computed++;
}
#pragma pc3 unsaved squares by square
#pragma pc3 unsaved computed by square

static int befores, continues, restarts;
void before(void);
void after(void);
void again(void);
void before(void) { befores++; }
void after(void) { continues++; }
void again(void) { restarts++; }
#pragma pc3 call before at before
#pragma pc3 call after at continue
#pragma pc3 call again at restart | continue

int main(void)
{
    intptr_t list = 0;
    struct node *chain, **index;
    int i, ok = 1;

    square();
    for (i = 0; i < 6; i++) {
        list = cons(cons(number(i * 1000 - 2000), 0, i % 2), list, i % 3 == 0);
#pragma pc3 checkpoint
        roots[i % 5] = (uint64_t)(uintptr_t)&roots[(i + 1) % 5];
        show("value", (long long)(total(list)));
    }
    fill(7);
    chain = raw(1, 3);
    index = words(4);
    for (i = 0; i < 2; i++) {
        chain[i].next = &chain[1 - i];
        chain[i].weight = 100 * i - 7;
        chain[i].tag = (short)(i + 1);
        index[i] = &chain[i];
    }
    index[2] = index[3] = 0;
#pragma pc3 checkpoint
    for (i = 0; i < table.used; i++)
        show("value", (long long)(*(int *)table.slots[i]));
    show("value", (long long)(*(int *)table.spare[1]));
    show("value", (long long)(chain->next->weight + index[1]->next->tag));
    for (i = 0; i < 5; i++)
        ok &= (uint64_t *)(uintptr_t)roots[i] == &roots[(i + 1) % 5];
    for (i = 0; i < 300; i++)
        ok &= squares[i] == i * (double)i;
#pragma pc3 checkpoint
    show("value", (long long)(ok));
    show("value", (long long)(restarts >= continues && befores >= continues));
    show("value", (long long)(computed == 1));
    show("value", (long long)(total(list)));
    return finish();
}
#pragma pc3 pointer main.list tags 3 = 0 | 2
