// run: --emit=c long_range.c -o ROOT/a
// run: --emit=c long_range.c -o ROOT/a -Wpc3-long-range
// run: --emit=c long_range.c -o ROOT/a -Wpc3-all
#include <pc3.h>
static long big = 5000000000;
static unsigned long all = ~0ul, mask;
static long long fine = 5000000000;
int main(int argc, char **argv) {
    long product = (long)argc * argc, small = 100000L * 2, used;
    mask = 1ul << argc;
    used = 1L << 40;
    if (used == argc) return 1;
    pc3_checkpoint();
    return (int)(big + (long)all + fine + product + small + (long)mask) + argv[0][0];
}
