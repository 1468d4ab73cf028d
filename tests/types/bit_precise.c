/* Numbers of exact widths (`_BitInt`) in frames, parameters, results, temporaries, globals, arrays, structs, unions, bit-fields and
   heap objects. */
#include <stdio.h>
#include <stdlib.h>

typedef _BitInt(37) narrow;
struct all {
    narrow plain;
    unsigned _BitInt(5) part : 3;
    unsigned _BitInt(2) two;
    _BitInt(64) wide : 40;
    struct {
        _BitInt(9) inner;
        _BitInt(47) pair[2];
    };
    union {
        int number;
        _BitInt(24) exact;
    } either;
    char end;
};
struct list {
    int length;
    unsigned _BitInt(13) numbers[];
};

static narrow table[4];
static struct all all = {.two = 3};
static _BitInt(33) start = -7wb;

static _BitInt(33) twice(_BitInt(33) v, int depth)
{
    _BitInt(33) mine = v * 2;
    unsigned _BitInt(3) wraps = 6;
    _BitInt(64) result = depth ? twice(mine, depth - 1) + (mine - 3wb) * 2 : mine;
    for (int i = 0; i < 2; i++) {
#pragma pc3 checkpoint
        wraps += 1uwb;
        result += i + wraps;
    }
    return mine + result;
}

int main(void)
{
    narrow *inside = &table[2], *heap = malloc(3 * sizeof *heap);
    struct list *list = malloc(sizeof *list + 3 * sizeof list->numbers[0]);
    list->length = 3;
    for (int i = 0; i < 4; i++)
        table[i] = -i * 10000000007ll;
    for (int i = 0; i < 3; i++) {
        heap[i] = ((narrow)1 << 35) - i;
        list->numbers[i] = 8191 - i;
    }
    all.plain = -5;
    all.part = 6;
    all.wide = -((narrow)1 << 35);
    all.inner = -256;
    all.pair[0] = all.pair[1] = -1;
    all.pair[1] <<= 45;
    all.either.exact = -9;
    all.end = 1;
    _BitInt(3) least = -4;
    printf("%lld\n", (long long)(twice(start, 3) + all.part + (all.part << 2)));
    printf("%d %lld %lld %d\n", (int)(inside - table), (long long)*inside, (long long)table[3], (int)least);
    printf("%lld %d %d %lld %d\n", (long long)all.plain, (int)all.part, (int)all.two, (long long)all.wide, all.end);
    printf("%d %lld %lld %d\n", (int)all.inner, (long long)all.pair[0], (long long)all.pair[1], (int)all.either.exact);
    for (int i = 0; i < list->length; i++)
        printf("%lld %d\n", (long long)heap[i], (int)list->numbers[i]);
    return 0;
}
