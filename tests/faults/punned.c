/* pc3-test: seq */
/* A number kept in an array of characters: only a machine that writes it alike can go on. */
#include <stdio.h>

static char pool[64] __attribute__((aligned(16)));

int main(void) {
    double *number = (double *)(void *)(pool + 16);
    *number = 0.5;
    for (int i = 0; i < 4; i++) {
#pragma pc3 checkpoint
        *number += i;
    }
    printf("%g\n", *number);
    return 0;
}
