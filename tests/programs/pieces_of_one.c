/* pc3-test: seq */
/* Rows that an arena hands out, of which nobody says how many elements they have: numbers, and structs around one number. */
#include "check.h"

struct rows {
    char *at;
    size_t step;
};

struct price {
    double only;
};

static void *next_row(struct rows *r)
{
    void *row = r->at;
    r->at += r->step;
    return row;
}

int main(void)
{
    struct rows rows;
    struct price *prices[3];
    double *weights[3];
    char *block = calloc(1, 1024);
    int i, k;
    rows.at = block;
    rows.step = 40;
    for (i = 0; i < 3; i++) {
        prices[i] = next_row(&rows);
        weights[i] = next_row(&rows);
        for (k = 0; k < 5; k++) {
            prices[i][k].only = 0.5 + i * k;
            weights[i][k] = 1.25 * i - k;
#pragma pc3 checkpoint
        }
    }
    for (i = 0; i < 3; i++)
        for (k = 0; k < 5; k++) {
            show_real("price", prices[i][k].only);
            show_real("weight", weights[i][k]);
        }
    free(block);
    return finish();
}
