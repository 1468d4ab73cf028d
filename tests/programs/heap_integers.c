/* pc3-test: seq */
/* Types on the heap that C spells differently under different ABIs, side by side with those it
 * spells alike: every value must keep its width, and values that only fit 64 bits survive. */
#include "check.h"
#include <stddef.h>
#include <sys/types.h>

#define COUNT 9

struct item {
    int64_t wide;
    size_t size;
    long plain;
    uint32_t word;
    ptrdiff_t step;
    uint64_t *shared;
};
typedef struct {
    long a;
    int64_t b;
} nameless;

static int64_t *wides;
static nameless *pairs;

int main(void)
{
    wides = malloc(COUNT * sizeof(int64_t));
    long *longs = malloc(COUNT * sizeof(long));
    size_t *sizes = malloc(COUNT * sizeof *sizes);
    uint32_t *words = calloc(COUNT, sizeof(uint32_t));
    uint64_t *naturals = malloc(COUNT * sizeof(uint64_t));
    unsigned *units = malloc(COUNT * sizeof(unsigned));
    int *ints = malloc(COUNT * sizeof *ints);
    long long *long_longs = malloc(COUNT * sizeof *long_longs);
    int64_t **to_wides = malloc(COUNT * sizeof *to_wides);
    long **to_longs = malloc(COUNT * sizeof *to_longs);
    size_t **to_sizes = malloc(COUNT * sizeof *to_sizes);
    int64_t(*rows)[3] = malloc(COUNT * sizeof *rows);
    struct item *items = malloc(COUNT * sizeof *items);
    struct { int64_t x; long y; } *loose = malloc(COUNT * sizeof *loose);
    pairs = malloc(COUNT * sizeof(nameless));
    ptrdiff_t stack[COUNT + (wides == NULL)];
    int64_t run[COUNT + (wides == NULL)];
    int64_t *end = wides + COUNT;
    for (int i = 0; i < COUNT; i++) {
        wides[i] = -5000000000LL * (i + 1);
        longs[i] = -7L * i;
        sizes[i] = (size_t)1000000u * i;
        words[i] = 4000000000u + i;
        naturals[i] = UINT64_MAX - i;
        units[i] = 3000000000u - i;
        ints[i] = -i;
        long_longs[i] = 9000000000LL + i;
        to_wides[i] = &wides[COUNT - 1 - i];
        to_longs[i] = &longs[i / 2];
        to_sizes[i] = &sizes[i];
        for (int j = 0; j < 3; j++)
            rows[i][j] = 6000000000LL * j + i;
        items[i] = (struct item){wides[i], sizes[i], longs[i], words[i], -i, &naturals[i]};
        loose[i].x = wides[i] - 1;
        loose[i].y = i;
        pairs[i] = (nameless){i, -wides[i]};
        stack[i] = -i;
        run[i] = wides[i] * 3;
#pragma pc3 checkpoint
    }
    long long *kept = &long_longs[4];
    for (int i = 0; i < COUNT; i++) {
#pragma pc3 checkpoint
        show("wide", wides[i]);
        show("long", longs[i]);
        show("size", (long long)sizes[i]);
        show("word", words[i]);
        show("natural", (long long)naturals[i]);
        show("unsigned", units[i]);
        show("int", ints[i]);
        show("long long", long_longs[i] + *kept);
        show("through", *to_wides[i] + *to_longs[i] + (long long)*to_sizes[i]);
        show("row", rows[i][0] + rows[i][1] + rows[i][2]);
        show("item", items[i].wide + (long long)items[i].size + items[i].plain + items[i].word + items[i].step);
        show("shared", (long long)*items[i].shared);
        show("loose", loose[i].x + loose[i].y);
        show("pair", pairs[i].a + pairs[i].b);
        show("stack", stack[i] + run[i]);
        show("left", end - to_wides[i]);
    }
    return finish();
}
