/* pc3-test: seq */
/* Structs that end in a one-element array: rows of them, and single ones with a longer array, of
 * sizes that alone do not tell which. */
#include "check.h"

struct rec {
    double weight;
    long id;
    int v[1];
};

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
    int *last = &longer[COUNT - 1]->v[COUNT - 1];
    for (int i = 0; i < COUNT; i++) {
#pragma pc3 checkpoint
        show_real("row", rows[i].weight + (double)rows[i].id + rows[i].v[0]);
        show_real("weight", longer[i]->weight);
        show("id", longer[i]->id);
        for (int j = 0; j <= i; j++)
            show("value", longer[i]->v[j] + *last);
    }
    return finish();
}
