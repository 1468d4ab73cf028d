/* pc3-test: seq pc3=-O0 */
/* A recursion that has used most of its stack when the checkpoint is taken. */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

static uintptr_t top, most;

static int leaf(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static long down(int depth, long sum)
{
    int own[4] = { depth, depth + 1, depth + 2, depth + 3 };
    if (top - (uintptr_t)own > most)
        return sum + leaf(own[0] - depth);
    long r = down(depth + 1, sum + own[depth & 3] - depth);
    return r ^ (own[1] - depth);
}

int main(void)
{
    struct rlimit limit;
    char here;
    getrlimit(RLIMIT_STACK, &limit);
    top = (uintptr_t)&here;
    most = (uintptr_t)limit.rlim_cur / 100 * 80;
    printf("%d\n", down(0, 0) > 0);
    return 0;
}
