#include <pc3.h>
int step(int n) {
    pc3_checkpoint();
    return n;
}
int main(void) {
    __asm__("" : : "r"(step(1)));
    return 0;
}
