/* pc3-test: seq */
/* Bytes of pointers that are copied, swapped, compared and aligned by: the order of objects decides nothing.  Functions for any bytes
 * that compute with those of texts and of structs that begin with some. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

struct named {
    char name[8];
    struct named *next;
};
static char block[256];
static size_t used;

static void copy(void *to, const void *from, size_t n) {
    char *t = to;
    const char *f = from;
    while (n--) *t++ = *f++;
}
static void swap(void *a, void *b, size_t n) {
    unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = x[i];
        x[i] = y[i];
        y[i] = c;
    }
}
static void exchange(void *a, void *b, size_t n) {
    unsigned char *x = a, *y = b;
    for (; n--; x++, y++) {
        *x ^= *y;
        *y ^= *x;
        *x ^= *y;
    }
}
static int differ(const void *a, const void *b, size_t n) {
    const unsigned char *x = a, *y = b;
    for (; n--; x++, y++)
        if (*x != *y) return *x - *y;
    return 0;
}
static unsigned hash(const void *text) {
    const char *c = text;
    unsigned h = 7;
    while (*c) h = h * 31 + (unsigned char)*c++;
    return h;
}
static char *aligned(size_t n, size_t to) {
    size_t off = (uintptr_t)(block + used) % to;
    char *p = block + used + (off ? to - off : 0);
    used = (size_t)(p - block) + n;
    return p;
}

int main(void) {
    struct named *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *c = NULL;
    strcpy(a->name, "first");
    strcpy(b->name, "second");
    for (int i = 0; i < 6; i++) {
        copy(&c, &a, sizeof c);
        swap(&a, &b, sizeof a);
        if (i % 2) exchange(&a, &b, sizeof a);
#pragma pc3 checkpoint
        show_text("a", a->name);
        show("same", differ(&c, &b, sizeof c) == 0);
        show("hash", (long)(hash(a) % 1000 + hash("text") % 1000));
        strcpy(aligned(8, i % 2 ? 4 : 2), "x");
    }
    show("used", used > 40);
    return 0;
}
