/* pc3-test: seq */
/* A place that is noted is computed once, also where a type name computes a part of it. */
#include <stdio.h>
static int calls;
static int bump(void) { return ++calls; }
union value { char *text; int number; double real; };
struct cell { union value is; };
static struct cell cells[8];
static void step(void)
{
#pragma pc3 checkpoint
}
int main(void)
{
    cells[sizeof(char[bump()])].is.number = 5;
    step();
    cells[sizeof(char[bump()])].is.real = 2.5;
    step();
    printf("%d %d %g\n", calls, cells[1].is.number, cells[2].is.real);
    return 0;
}
