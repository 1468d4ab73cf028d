/* pc3-test: seq */
/* No file may grow beyond 64 KiB: no checkpoint can be written. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static void step(void)
{
#pragma pc3 checkpoint
}

int main(void)
{
    struct rlimit most = { 65536, 65536 };
    char *held = malloc(1 << 20);
    setrlimit(RLIMIT_FSIZE, &most);
    for (int i = 0; i < 1 << 20; i++)
        held[i] = (char)(i % 101);
    for (int i = 0; i < 5; i++) {
        step();
        printf("%d %d\n", i, held[1000 * i]);
    }
    free(held);
    return 0;
}
