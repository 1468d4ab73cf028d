#include <assert.h>
#include <pc3.h>
#include <stdio.h>
static int depth(int n, int *total) {
    int here = n * 2;
    if (n == 0) {
        pc3_checkpoint();
        *total += here + 1;
        assert(*total < 3);
        return *total;
    }
    int below = depth(n - 1, total);
    return below + here;
}
int main(void) {
    int total = 0;
    for (int round = 0; round < 4; round++) {
        int got = depth(3, &total);
        fprintf(stderr, "%s:%d %s %d %d\n", __FILE__, __LINE__, __func__, round, got);
    }
    return 0;
}
