// pc3cc: --annotations=annotations_all.txt
#include <pc3.h>
#include <stdlib.h>
struct cell { long word; short small; long bits : 40; double real; long *row; };
static const int constant = 1;
static long table[4];
struct cell *all;
#pragma pc3 pointer cell.small
#pragma pc3 pointer cell.bits
#pragma pc3 pointer cell.real
#pragma pc3 pointer cell.none
#pragma pc3 pointer nothing
#pragma pc3 pointer nothing.at
#pragma pc3 pointer cell.word tags 2
#pragma pc3 pointer cell.word tags 3 = 4
#pragma pc3 pointer cell.word tags three
void fill(void) { table[0] = 1; }
int more(int n) { return n; }
void stop(void) { pc3_checkpoint(); }
#pragma pc3 unsaved table
#pragma pc3 unsaved table by nobody
#pragma pc3 unsaved table by more
#pragma pc3 unsaved constant by fill
#pragma pc3 unsaved cell.word by fill
#pragma pc3 unsaved main.i by fill
#pragma pc3 call fill
#pragma pc3 call fill at once
#pragma pc3 call stop at before
union either { int i; long l; } either;
int which;
#pragma pc3 union either by what: i = 0
#pragma pc3 union table by which: i = 0
int main(void) {
    int i = 0;
#pragma pc3 type struct cells
    all = malloc(40);
#pragma pc3 type struct cell
    i += more(i);
#pragma pc3 type struct cell + 4
    all = malloc(40);
#pragma pc3 type void
    all = malloc(40);
#pragma pc3 type
    all = malloc(40);
    pc3_checkpoint();
    return i + which + (int)either.l + constant;
}
#pragma pc3 type more: struct cell
#pragma pc3 type nobody: struct cell
#pragma pc3 type 1+2: struct cell
