/* pc3-test: seq */
/* Prints a line at a time, which waits in the stream; a location in front of each. */
#include <stdio.h>

int main(void)
{
    for (int n = 1; n <= 5; n++) {
#pragma pc3 checkpoint
        printf("%d\n", n);
    }
    printf("end\n");
    return 0;
}
