/* pc3-test: seq */
// sh: echo some text that is long enough > data
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// sh: echo some > data
// run: PC3_RESTART=latest
// sh: echo other text that is long enough > data
// run: PC3_RESTART=latest
#include <stdio.h>

int main(void) {
    FILE *f = fopen("data", "r");
    if (!f || fgetc(f) == EOF)
        return 1;
#pragma pc3 checkpoint
    return fgetc(f) == EOF;
}
