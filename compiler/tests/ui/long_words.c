/* Sets of bits in words of a `long`'s width, and the limits of `long`. */
#include <pc3.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define WORD (8 * sizeof(unsigned long))

static unsigned long used[8];
static uint64_t wide[8];
static struct range {
    long from, to;
} range = {LONG_MIN, LONG_MAX};
static const long most = LONG_MAX;
static size_t last = SIZE_MAX / 2;

static void set(unsigned i)
{
    used[i / WORD] |= 1ul << (i % WORD);
}

static int get(unsigned i)
{
    return used[i / WORD] >> (i % WORD) & 1;
}

static unsigned long mask_of(unsigned i)
{
    return 1ul << (i & 63);
}

int main(int argc, char **argv)
{
    long best = LONG_MAX;
    unsigned long local = mask_of(argc) & 5;
    set(argc);
    wide[argc / 64] |= 1ull << (argc % 64);
    used[argc / 64] &= ~mask_of(argc);
    range.to = LONG_MAX / 2;
    pc3_checkpoint();
    if (best > argc && best < LONG_MAX - 1)
        best = most;
    return get(1) + (range.from == LONG_MIN) + (best == most) + (last > 7) + (local > 2) + argv[0][0];
}
