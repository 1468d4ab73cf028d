/* pc3-test: seq */
/* What the order of bytes gave is kept, and is right only where it came from. */
#include <stdio.h>

static const int one = 1;
static int first;

int main(void) {
    first = *(const char *)&one;
#pragma pc3 checkpoint
    printf("%d\n", first == *(const char *)&one);
    return 0;
}
