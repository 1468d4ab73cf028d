/* pc3-test: seq */
/* Constants that a long of 32 bits changes: nothing in a checkpoint says what they were. */
#include <stdio.h>

static unsigned long mask;
static unsigned long sum = 0xfffffff0;

int main(void) {
    mask = -16;
#pragma pc3 checkpoint
    printf("%d %d\n", mask == (unsigned long)-16, sum == 0xfffffff0);
    return 0;
}
