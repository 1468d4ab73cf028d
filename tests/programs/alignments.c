/* pc3-test: seq */
/* Locals with alignments of their own, wherever they live: their addresses are kept, or not, and they are constant, or not. */
#include "check.h"

typedef float lane __attribute__((aligned(64)));
struct block {
    double d[2];
} __attribute__((aligned(32)));

static void *kept;

/* Is a place what it is aligned to? */
#define FITS(p, alignment) ((uintptr_t)(p) % (alignment) == 0)

static void keep(void *p)
{
    kept = p;
#pragma pc3 checkpoint
    ;
}
static int objects(int n)
{
    enum { WIDE = 128 };
    _Alignas(WIDE) char text[3] = "ab";
    int number __attribute__((aligned(256))) = n, beside = n + 1;
    lane one = (float)n;
    struct block block = {{n, 1}};
    const float table[4] __attribute__((aligned(64))) = {1, 2, 3, (float)beside};
    keep(text);
    int fit = FITS(kept, WIDE);
    keep(&number);
    fit += FITS(kept, 256);
    keep(&one);
    fit += FITS(kept, 64);
    keep(&block);
    fit += FITS(kept, 32);
    keep(&beside);
    fit += FITS(text, WIDE) + FITS(table, 64) + FITS(&block, 32);
    show("alignment", (long long)(_Alignof(text) + _Alignof(number) + __alignof__(one) + _Alignof(block)));
    show_real("values", text[1] + number + one + block.d[0] + table[2] + table[3]);
    return fit;
}

static int deep(int n)
{
    char before = (char)n;
    int fit = n ? deep(n - 1) : 0;
    keep(&before);
    return fit + objects(n) + before;
}

int main(void)
{
    show("fit", deep(4));
    return finish();
}
