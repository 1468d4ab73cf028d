// Orders and buckets that depend on where objects lie.
#include <pc3.h>
#include <stdint.h>
#include <stdlib.h>
struct item { int serial; struct item *next; };
static struct item *sorted[10], *buckets[64];
static int by_address(const void *a, const void *b) {
    const struct item *const *x = a, *const *y = b;
    return *x < *y ? -1 : *x > *y;
}
static int by_place(const void *a, const void *b) {
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    return (int)((const char *)x - (const char *)y);
}
static int by_serial(const void *a, const void *b) {
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    return x->serial - y->serial;
}
static unsigned hash(const void *p) { return (unsigned)((uintptr_t)p >> 4) * 2654435761u; }
static struct item **bucket(struct item *i) { return &buckets[(uintptr_t)i / sizeof *i % 64]; }
static int is_aligned(const void *p) { return ((uintptr_t)p & 15) == 0; }
static void *align(char *p) { return (void *)(((uintptr_t)p + 15) & ~(uintptr_t)15); }
static const char *name_of(void *number) { return (const char *[]){"a", "b"}[(uintptr_t)number]; }
static char *base;
static int is_deep(void) { char here; return base - &here > 100000; }
static int is_within(int *p) { int a[2], b; return p < &a[1] && p > a && &b != p; }
static unsigned sum(const void *of, int n) {
    const unsigned char *byte = of;
    unsigned s = 0;
    while (n--) s = s * 33 + *byte++;
    return s;
}
int main(void) {
    unsigned n;
    char first;
    base = &first;
    if (is_deep() || is_within((int *)sorted[3])) return 1;
    qsort(sorted, 10, sizeof *sorted, by_address);
    qsort(sorted, 10, sizeof *sorted, by_place);
    qsort(sorted, 10, sizeof *sorted, by_serial);
    n = (uintptr_t)sorted[0] % 61 + sum("text", 4) + sum(&sorted[1], sizeof sorted[1]);
    *bucket(sorted[1]) = sorted[2];
    pc3_checkpoint();
    return name_of((void *)1)[0] == 97 ? 0 : n + hash(sorted[n]) + is_aligned(sorted[1]) + (align((char *)sorted[2]) == 0);
}
