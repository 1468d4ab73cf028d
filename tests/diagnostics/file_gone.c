/* pc3-test: seq */
// sh: echo some text > data
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// sh: rm data
// run: PC3_RESTART=latest
#include <stdio.h>

int main(void) {
    FILE *f = fopen("data", "r");
    if (!f)
        return 1;
#pragma pc3 checkpoint
    return fgetc(f) != 's';
}
