// Hashed addresses: an object keeps its number, where addresses are as wide, or where 32 bits of it count.
#include <pc3.h>
#include <stdint.h>
struct item { int key; struct item *next; };
static struct item *wide[61], *narrow[61];
static struct item **slot(struct item *i) { return &wide[((uintptr_t)i >> 4) % 61]; }
static struct item **low(struct item *i) { return &narrow[((uintptr_t)i & 0xffffffff) % 61]; }
int main(void) {
    static struct item a;
    *slot(&a) = &a;
    *low(&a) = &a;
    pc3_checkpoint();
    return *slot(&a) != *low(&a);
}
