/* pc3-test: seq */
/* Keeps pointers to streams that it has closed. */
#include <stdio.h>

static FILE *kept, *again;

int main(void)
{
    kept = fopen("closed", "w");
    if (!kept || fclose(kept))
        return 1;
    again = fopen("open", "w");
    FILE *second = fopen("second", "w");
    if (!again || !second || fclose(second))
        return 1;
    for (int round = 0; round < 3; round++) {
#pragma pc3 checkpoint
        fprintf(again, "round %d\n", round);
    }
    printf("%s\n", second && second == again ? "odd" : "end");
    return fclose(again);
}
