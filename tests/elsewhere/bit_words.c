/* pc3-test: seq */
/* A set of bits in words of a `long`'s width: i686 and x86-64, other numbers would be in it. */
#include <stdio.h>

#define WORD (8 * sizeof(unsigned long))

static unsigned long used[8];

static void add(unsigned i) {
    used[i / WORD] |= 1ul << (i % WORD);
}

static int has(unsigned i) {
    return used[i / WORD] >> (i % WORD) & 1;
}

int main(void) {
    for (unsigned i = 0; i < 100; i += 9)
        add(i);
#pragma pc3 checkpoint
    for (unsigned i = 0; i < 100; i++)
        if (has(i))
            printf("%u ", i);
    printf("\n");
    return 0;
}
