/* pc3-test: seq args=one,two */
/* A main of the days before prototypes. */
#include "check.h"

main(argc, argv)
    char **argv;
{
    register i;
    static total = 3;
    for (i = 0; i < argc; i++) {
#pragma pc3 checkpoint
        total = total * 2 + (i ? argv[i][0] : 0);
        show("total", total);
    }
#pragma pc3 checkpoint
    return finish();
}
