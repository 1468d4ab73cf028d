#include "app.h"

static unsigned seed = 1;
static int used;

const char *next_word(const char **at, char *into, int room) {
    int n = 0;
    const char *p = *at;
    used++;
    seed = seed * 1103515245u + 12345u;
    while (*p == ' ') p++;
    while (*p && *p != ' ' && n < room - 1) into[n++] = *p++;
    into[n] = 0;
    *at = p;
    return n ? into : 0;
}
