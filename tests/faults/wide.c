/* pc3-test: seq */
/* A 64-bit value that a 32-bit long cannot hold, live at the checkpoint. */
#include <stdio.h>

struct tally { int n; long total; };
static struct tally tallies[3];

int main(void) {
    for (int i = 0; i < 4; i++) {
        if (i == 2)
            tallies[1].total = (long)5 * 1000 * 1000 * 1000;
#pragma pc3 checkpoint
        tallies[1].n += i;
    }
    printf("%d %ld\n", tallies[1].n, tallies[1].total);
    return 0;
}
