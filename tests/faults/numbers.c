/* pc3-test: seq */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uintptr_t kept;

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 42;
    kept = (uintptr_t)p;
#pragma pc3 checkpoint
    printf("%d\n", *(int *)kept);
    return 0;
}
