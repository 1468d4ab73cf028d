/* pc3-test: seq */
/* Pieces of a block, each aligned by the low bits of its address: what is kept of the address is how much was skipped. */
#include "check.h"

struct space { char *at; size_t left; };

static void *aligned(char *at, size_t *left, size_t align)
{
    const size_t mask = align - 1, low = (size_t)at & mask, skip = (align - low) & mask;
    if (*left < skip)
        return NULL;
    *left -= skip;
    return at + skip;
}

static size_t skipped(const char *at, size_t align)
{
    return (0 - (uintptr_t)at) & (align - 1);
}

int main(void)
{
    char *block = malloc(1024);
    struct space s = { block + 3, 1000 };
    size_t total = 0;
    for (int i = 0; i < 20; i++) {
#pragma pc3 checkpoint
        s.at = aligned(s.at, &s.left, 8);
        s.at[0] = (char)i;
        s.at += 3;
        s.left -= 3;
        const size_t n = skipped(s.at, 4);
        s.at += n;
        total += n;
        show("left", (long long)(s.left + total));
    }
    show("byte", block[8]);
    return finish();
}
