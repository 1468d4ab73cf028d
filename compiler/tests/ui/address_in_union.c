// Addresses that become numbers through another member of a union.
#include <pc3.h>
#include <stdint.h>
#include <stdlib.h>
union word { void *p; uintptr_t n; unsigned char c[sizeof(void *)]; };
struct value { int kind; union { void *p; uintptr_t n; } as; };
static uintptr_t key;
static unsigned seen[61], sum;
static unsigned hash(void *p) {
    union word w;
    w.p = p;
    return w.n % 61;
}
static unsigned mixed(void *p) {
    union word w = {p};
    unsigned h = 0;
    for (unsigned i = 0; i < sizeof w.c; i++)
        h = 31 * h + w.c[i];
    return h;
}
static void *back(uintptr_t n) {
    union word w;
    w.n = n & ~(uintptr_t)1;
    return w.p;
}
/* A variant, whose numbers are numbers. */
static uintptr_t number(const struct value *v, void *p) {
    union word w;
    if (v->kind)
        w.n = v->as.n;
    else
        w.p = p;
    return v->kind ? w.n : 0;
}
int main(void) {
    int *p = malloc(sizeof *p);
    struct value v = {1, {.n = 7}};
    unsigned h = hash(p), m = mixed(p);
    uintptr_t plain = number(&v, p);
    seen[h]++;
    key = ((union word){.p = p}).n | 1;
    sum = m;
    pc3_checkpoint();
    return back(key) == p && seen[h] + plain == 8 && sum == m ? 0 : 1;
}
