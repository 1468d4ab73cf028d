/* Constants that a `long` of 32 bits changes. */
#include <pc3.h>

static long level = 0xf2345678L;
static unsigned long mask = -4;
static unsigned long none = -1, fine = 0xf2345678;
static long small = -7;
static long long wide = 0xf2345678;

static void step(long depth)
{
    pc3_checkpoint();
    level += depth;
}

int main(void)
{
    unsigned long low = mask & -16;
    step(0x89ABCDEF);
    return (int)(level + mask + none + fine + small + wide + low);
}
