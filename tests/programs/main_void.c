/* pc3-test: seq */
/* A main that returns nothing. */
#include "check.h"

static int n;

void main(void)
{
    for (n = 0; n < 5; n++) {
#pragma pc3 checkpoint
        show("n", n);
    }
    finish();
    exit(EXIT_SUCCESS);
}
