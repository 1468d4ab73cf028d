// run: -DVALUE=2 -w compiler_refuses.c -o ROOT/p
#include <pc3.h>
/* What the C compiler finds is told of the user's own text, read with all of the user's options. */
int main(void) {
    const int c = 1;
    pc3_checkpoint();
    c = VALUE;
    return c;
}
