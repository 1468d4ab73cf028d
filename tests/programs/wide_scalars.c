/* pc3-test: seq abi=own */
/* Integers of 128 bits and decimal floating point, where the compiler has them. */
#include "check.h"

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;
#else
typedef unsigned long long wide;
#endif
#if defined __DEC64_MAX__ && !defined __s390x__ /* emulators lack its instructions */
typedef _Decimal64 decimal;
#else
typedef float decimal __attribute__((vector_size(8)));
#endif

static wide kept = 5;
static decimal money;

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static wide product(wide a, wide b)
{
    wide sum = 0;
    while (b) {
        if (b & 1)
            sum += a;
        a <<= 1;
        b >>= 1;
        kept ^= a + (unsigned)tick(0);
    }
    return sum;
}

int main(void)
{
    wide x = 3;
    decimal step = {0};
    for (int i = 0; i < 3; i++) {
        struct {
            int k;
            wide v;
        } s = {i, x};
        x = product(x, 0x12345) + (unsigned)tick(i);
        s.v += x * (unsigned)tick(s.k);
        step += 1;
        money += step;
#pragma pc3 checkpoint
        show("high", (long long)(s.v >> 40));
        show("low", (long long)s.v);
    }
    show("kept", (long long)kept);
#if defined __DEC64_MAX__ && !defined __s390x__ /* emulators lack its instructions */
    show_real("money", (double)(money / 8));
#else
    show_real("money", money[0] / 8);
#endif
    return finish();
}
