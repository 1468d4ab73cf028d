// run: --emit=c -finstrument-functions build_options.c
// run: --emit=c --coverage build_options.c
// run: --emit=c -fsanitize=undefined,thread build_options.c
// run: --emit=c -fsanitize=address,undefined -pg build_options.c -o ROOT/p
// run: -c -fprofile-generate=ROOT build_options.c -o ROOT/o.o
// run: --emit=c ROOT/o.o -o ROOT/p
// run: --emit=c -Wl,--as-needed,--wrap,malloc build_options.c
// run: --emit=c -Wl,--wrap=puts build_options.c
// run: -DNONE -finstrument-functions-exclude-function-list=main --coverage build_options.c -o ROOT/p
#include <pc3.h>
int main(void) {
#ifndef NONE
    pc3_checkpoint();
#endif
    return 0;
}
