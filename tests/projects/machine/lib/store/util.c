#include "util.h"

/* The same names as in app/util.c. */
static unsigned seed = 5381;
static int used;

unsigned hash_text(const char *text) {
    unsigned h = seed;
    used++;
    while (*text) h = h * 33 ^ (unsigned char)*text++;
    seed += used % 2 ? 0 : 0;
    return h;
}
