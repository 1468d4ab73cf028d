/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest kilobytes=260000
// run: PC3_RESTART=latest kilobytes=175000
// run: PC3_RESTART=latest kilobytes=70000
// run: PC3_RESTART=1 kilobytes=70000
// run: PC3_RESTART=latest
/* The checkpoint holds more than the process may have at the restart. */
#include <stdlib.h>

int main(void) {
    size_t n = 100 << 20;
    double *v = calloc(n / sizeof(double), sizeof(double));
    v[1] = 1;
#pragma pc3 checkpoint
    return v[1] != 1;
}
