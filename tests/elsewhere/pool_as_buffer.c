/* pc3-test: seq flags=-w */
/* Items of a pool that nobody has taken serve as buffers, without a word to the function that hands them out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *cells, *unused;

static void *get(void) {
    void *p = unused;
    unused = *(char **)unused;
    return p;
}

struct node { struct node *l, *r; long k; };

int main(void) {
    struct node *n[4];
    cells = malloc(64 * 8);
    for (int i = 0; i < 8; i++) {
        *(char **)(cells + 64 * i) = unused;
        unused = cells + 64 * i;
    }
    for (int i = 0; i < 4; i++) {
        n[i] = get();
        n[i]->l = n[i]->r = 0;
        n[i]->k = i;
    }
    memcpy(cells + 64, "a text that is longer than a pointer", 37);
    double *d = (double *)(cells + 128);
    for (int i = 0; i < 8; i++)
        d[i] = i * 1.5;
#pragma pc3 checkpoint
    printf("%s %g %ld\n", cells + 64, d[7], n[2]->k);
    return 0;
}
