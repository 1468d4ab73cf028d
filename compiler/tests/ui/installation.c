// run: --target=s390x-linux-gnu --cc=gcc installation.c -o ROOT/p
// tool: mkdir -p ROOT/lib/pc3/s390x-linux-gnu
// tool: cp installation.c ROOT/lib/pc3/s390x-linux-gnu/libpc3rt.a
// run: --target=s390x-linux-gnu --cc=gcc installation.c -o ROOT/p
// run: --cc=no-such-compiler installation.c -o ROOT/p
// run: --target=s390x-linux-gnu --cc=gcc -DNONE installation.c -o ROOT/p
/* Its words at the start are those of another runtime. "pc3 runtime with header: 00000000" */
#include <pc3.h>
int main(void) {
#ifndef NONE
    pc3_checkpoint();
#endif
    return 0;
}
