#include <pc3.h>
#include <stdint.h>
struct node { uintptr_t next; int key; };
static uintptr_t last;
int main(void) {
    struct node a = { 0, 1 }, b = { 0, 2 };
    uintptr_t here = (uintptr_t)&a;
    int aligned = ((uintptr_t)&b & 7) == 0;
    a.next = (uintptr_t)&b | 1;
    pc3_checkpoint();
    last = here;
    return ((struct node *)(a.next & ~(uintptr_t)1))->key + aligned;
}
