/* pc3-test: seq */
/* Structs that end in a one-element array: rows of them, and single ones with a longer array, of
 * sizes that alone do not tell which. */
#include <stddef.h>
#include "check.h"

struct rec {
    double weight;
    long id;
    int v[1];
};

/* Texts that end within the padding of their struct, or behind it. */
struct name {
    struct name *next;
    int id;
    char text[1];
};

/* More of it lies in the padding of 64 bits than in that of 32. */
struct word {
    struct word *next;
    char text[1];
};

/* The end of one that has its struct's size. */
static struct word alone, *alone_end = &alone + 1;

static struct word *words(int n, struct word **ends)
{
    struct word *list = 0;
    while (n-- > 0) {
        struct word *one = malloc(offsetof(struct word, text) + n + 1);
        memset(one->text, 'A' + n, n);
        one->text[n] = 0;
        one->next = list;
        list = one;
    }
    *ends = malloc(sizeof **ends);
    (*ends)->text[0] = 0;
    (*ends)->next = *ends + 1;
    return list;
}

static struct name *names(int n)
{
    struct name *list = 0;
    while (n-- > 0) {
        struct name *one = malloc(offsetof(struct name, text) + n + 1);
        memset(one->text, 'a' + n, n);
        one->text[n] = 0;
        one->id = n;
        one->next = list;
        list = one;
    }
    return list;
}

#define COUNT 12

int main(void)
{
    struct rec *rows = malloc(COUNT * sizeof *rows);
    struct rec *longer[COUNT];
    for (int i = 0; i < COUNT; i++) {
        rows[i] = (struct rec){i / 8.0, -i, {i * 3}};
        longer[i] = malloc(sizeof(struct rec) + i * sizeof(int));
        longer[i]->weight = i / 16.0;
        longer[i]->id = 100 + i;
        for (int j = 0; j <= i; j++)
            longer[i]->v[j] = i * 1000 - j;
#pragma pc3 checkpoint
    }
    struct name *all = names(7);
    int *last = &longer[COUNT - 1]->v[COUNT - 1];
    for (int i = 0; i < COUNT; i++) {
#pragma pc3 checkpoint
        show_real("row", rows[i].weight + (double)rows[i].id + rows[i].v[0]);
        show_real("weight", longer[i]->weight);
        show("id", longer[i]->id);
        for (int j = 0; j <= i; j++)
            show("value", longer[i]->v[j] + *last);
    }
    for (; all; all = all->next) {
#pragma pc3 checkpoint
        show_text("name", all->text);
    }
    struct word *ends, *list = words(18, &ends);
    for (; list; list = list->next) {
#pragma pc3 checkpoint
        show_text("word", list->text);
    }
    show("end", ends->next == ends + 1 && alone_end == &alone + 1);
    return finish();
}
