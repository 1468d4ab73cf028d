#include <pc3.h>
#include <stdint.h>
int main(void) {
    int a[4];
    uintptr_t key = (uintptr_t)a;
    unsigned bucket = (unsigned)(uintptr_t)&a[2] % 7;
    pc3_checkpoint();
    return (int)(key % 3 + bucket);
}
