/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest on=i686
// run: PC3_RESTART=latest
#include <stdlib.h>
struct tally { int n; long total; };

static struct tally *fresh(int n) {
    return calloc(n, sizeof(struct tally));
}

int main(void) {
    struct tally *all = malloc(2 * sizeof *all), *others = fresh(2);
    all[0].total = others[0].total = 0;
    others[1].total = (long)5 * 1000 * 1000 * 1000;
    all[1] = others[1];
#pragma pc3 checkpoint
    return all[1].total / 1000000000 != 5;
}
