/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=2
// run: PC3_RESTART=latest as=CHANGED
// run: PC3_RESTART=latest on=s390x
// run: PC3_RESTART=latest
/* A struct of the program has changed; memory of unknown type cannot move. */
#include <stdio.h>
#include <stdlib.h>

#ifdef CHANGED
struct item { double weight; int n[2]; };
#else
struct item { int n[3]; char *name; };
#endif
static struct item items[3];
static void *unknown;
static void *(*get)(size_t) = malloc;

int main(void) {
    unknown = get(40);
    *(int *)unknown = 3;
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        items[i].n[1] += i;
    }
    return *(int *)unknown != 3;
}
