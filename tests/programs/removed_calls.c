/* pc3-test: seq */
/* A function that exists nowhere, called only where the plain compiler sees that nobody comes. */
#include <stdio.h>

extern void exists_nowhere(int);

static int never_set;

static int twice(int n) {
    int none = 0;
#pragma pc3 checkpoint
    if (none)
        exists_nowhere(n);
    return 2 * n;
}

int main(void) {
    int i, sum = 0;
    for (i = 0; i < 6; i++) {
        sum += twice(i);
#pragma pc3 checkpoint
        if (never_set)
            exists_nowhere(i);
        printf("%d %d\n", i, sum);
    }
    printf("checksum %08x\n", sum * 2654435761u);
    return 0;
}
