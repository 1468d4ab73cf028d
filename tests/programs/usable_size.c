/* pc3-test: seq */
/* A table that is as large as what it was given. */
#include <malloc.h>
#include "check.h"

static unsigned *table;
static size_t slots, used;

static void grow(void) {
    unsigned *old = table;
    size_t had = slots;
    table = calloc(had ? had * 2 : 8, sizeof *table);
    slots = malloc_usable_size(table) / sizeof *table;
    for (size_t i = 0; i < had; i++)
        if (old[i]) {
            size_t to = old[i] % slots;
            while (table[to]) to = (to + 1) % slots;
            table[to] = old[i];
        }
    free(old);
}

int main(void) {
    for (unsigned i = 1; i <= 40; i++) {
        if (used * 2 >= slots) grow();
        size_t to = i * 2654435761u % slots;
        while (table[to]) to = (to + 1) % slots;
        table[to] = i * 2654435761u;
        used++;
        #pragma pc3 checkpoint
        unsigned sum = 0;
        for (size_t s = 0; s < slots; s++) sum += table[s];
        printf("%u %zu %u %d\n", i, used, sum, malloc_usable_size(table) >= slots * sizeof *table && used <= slots);
    }
    return malloc_usable_size(0) != 0;
}
