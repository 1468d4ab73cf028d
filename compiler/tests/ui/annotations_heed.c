// Followed: nothing is said.
#include <pc3.h>
#include <stdint.h>
#include <stdlib.h>
struct cell { uintptr_t word; uint64_t *row; };
struct cell *all;
static double table[4];
void fill(void) { table[0] = 1; }
void again(void) { }
#pragma pc3 pointer cell.word tags 3 = 0 | 1
#pragma pc3 pointer cell.row
#pragma pc3 unsaved table by fill
#pragma pc3 call again at continue | restart
#pragma pc3 type grow: struct cell
static void *grow(int n) { return malloc(16 * n); }
static union either { float f; long l; } either;
static int which;
#pragma pc3 union either by which: f = 0, l = *
int main(void) {
    char *p;
    all = grow(4);
    all->word = (uintptr_t)all | 1;
    all->row = malloc(2 * sizeof *all->row);
    all->row[1] = (uintptr_t)&all->word;
#pragma pc3 type struct cell
    p = realloc(0, 100);
    fill();
    again();
    pc3_checkpoint();
    return which + (int)either.f + p[0] + (int)*(uintptr_t *)(all->word & ~(uintptr_t)1);
}
