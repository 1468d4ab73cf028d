/* pc3-test: seq */
/* The largest `long` as a mark: i686 and x86-64, it would be a number like others. */
#include <limits.h>
#include <stdio.h>

static long cost[] = {5, 3, 9};

static long search(long limit) {
    long best = LONG_MAX;
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        if (cost[i] < limit && cost[i] < best)
            best = cost[i];
    }
    return best;
}

int main(void) {
    printf("%s\n", search(2) == LONG_MAX ? "none" : "found");
    return 0;
}
