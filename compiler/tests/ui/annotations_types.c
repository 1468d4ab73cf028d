// run: -DUNIT -c annotations_types.c -o ROOT/second.o
// run: annotations_types.c ROOT/second.o --annotations=annotations_types.txt -o ROOT/p
#include <pc3.h>
#include <stdlib.h>
/* What an annotation is about is there, and cannot be understood. */
static int twice(int n) { return 2 * n; }
#ifdef UNIT
int other(void) { return twice(1); }
#else
struct cell { unsigned long size; };
struct cell *all;
static int table[3];
int other(void);
static void fill(void) { table[0] = 1; }
#pragma pc3 bytes cell.size
#pragma pc3 bytes cell.size of struct none
int main(void) {
#pragma pc3 type struct cell[x]
    all = malloc(40);
#pragma pc3 type struct cell *?
    all = malloc(40);
#pragma pc3 type struct none
    all = malloc(40);
    fill();
    pc3_checkpoint();
    return other() + twice(table[0]);
}
#endif
