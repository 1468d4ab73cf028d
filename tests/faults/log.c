/* pc3-test: seq */
/* Tells on standard error what it does. */
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 4; i++) {
        fprintf(stderr, "step %d\n", i);
#pragma pc3 checkpoint
    }
    return 0;
}
