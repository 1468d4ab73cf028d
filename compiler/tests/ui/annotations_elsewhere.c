// run: -c --annotations=annotations_elsewhere.txt annotations_elsewhere.c -o ROOT/a.o
// run: ROOT/a.o --emit=c -o ROOT/a
// run: ROOT/a.o --emit=c -o ROOT/a -Wno-pc3-annotation-elsewhere
#include <pc3.h>
#include <stdlib.h>
void *memory;
void work(int n) { memory = malloc(n); pc3_checkpoint(); }
int main(void) { work(100); return 0; }
