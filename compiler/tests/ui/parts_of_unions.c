/* What is read of a union where parts of another member were written before: it is the order of bytes if the numbers differ. */
#include <pc3.h>

struct parts {
    unsigned char kind;
    unsigned short entry;
};
struct bits {
    unsigned low : 4, high : 12;
};
union key {
    struct parts parts;
    struct bits bits;
    unsigned code;
    unsigned short entries[2];
};

static unsigned table[6];

/* As a compressor looks for a pair in its table. */
static unsigned sought(unsigned kind, unsigned entry)
{
    union key k;
    k.code = 0;
    k.parts.kind = kind;
    k.parts.entry = entry;
    return k.code;
}

static unsigned of_bits(unsigned high)
{
    union key k;
    k.code = 0;
    k.bits.high = high;
    return k.code;
}

static unsigned taken_apart(unsigned code)
{
    union key k;
    k.code = code;
    return k.parts.entry;
}

/* Read as it was written, or both alike at their start: nothing to say. */
struct short_parts {
    unsigned char kind;
};
union alike {
    struct short_parts one;
    struct parts two;
    double d;
    unsigned word;
};

static unsigned as_written(unsigned kind)
{
    union key k;
    union alike a;
    k.parts.kind = kind;
    k.parts.entry = 3;
    a.two.kind = kind;
    a.two.entry = 4;
    table[3] = a.one.kind;
    a.word = 1;
    return k.parts.entry + a.word;
}

int main(void)
{
    table[0] = sought(1, 2);
    table[1] = of_bits(5);
    table[2] = taken_apart(7);
    table[4] = as_written(8);
    pc3_checkpoint();
    return (int)(table[0] + table[1] + table[2] + table[3] + table[4]);
}
