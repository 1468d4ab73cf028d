/* pc3-test: seq abi=wide */
/* Numbers that other languages do not have: of 128 bits, complex integers, bit-fields of more than 64 bits, vectors. */
#include <stdio.h>

typedef int four __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));
struct cell {
    int id;
    _Complex int z;
    _Complex unsigned char small;
    __int128 wide;
    unsigned __int128 field : 70;
    __int128 below : 66;
    _Float128 precise;
    _Complex _Float128 both;
    four v;
};

static __int128 total = (__int128)-5 << 70;

static void show(const char *what, __int128 n)
{
    printf("%s %llx %llx\n", what, (unsigned long long)(n >> 64), (unsigned long long)n);
}

static _Complex int turn(_Complex int z, eight by, int n)
{
    _Complex int w = z * (1 + 2i);
    if (n > 0) w = turn(w, by + (float)n, n - 1);
#pragma pc3 checkpoint
    printf("turn %d %d %g %g\n", __real__ w, __imag__ ~w, by[0], by[7]);
    return w - 3i;
}

int main(void)
{
    struct cell c = {1, 2 + 3i, 4 + 5i, (__int128)-7 << 65, (unsigned __int128)0x2b << 64 | 9, -((__int128)3 << 62), 1.5, 2.5, {1, -2, 3, -4}};
    eight f = {1, 2, 3, 4, 5, 6, 7, 8};
    _Complex long l = 5 - 6i;
    c.z = turn(c.z, f, 3);
#pragma pc3 checkpoint
    printf("%d %d %d %d %d\n", c.id, __real__ c.z, __imag__ c.z, __real__ c.small, __imag__ c.small);
    show("wide", c.wide);
    show("field", c.field);
    show("below", c.below);
    show("total", total);
    printf("%g %g %d %d %ld %ld\n", (double)c.precise, (double)__real__ c.both, c.v[1], c.v[3], __real__ l, __imag__ l);
    return 0;
}
