/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest PC3_ADDRESSES=elsewhere
// run: PC3_RESTART=latest
#include <stdint.h>
#include <stdlib.h>

static uintptr_t kept;

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 42;
    kept = (uintptr_t)p;
#pragma pc3 checkpoint
    return *(int *)kept != 42;
}
