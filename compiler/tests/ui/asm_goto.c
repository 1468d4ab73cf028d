#include <pc3.h>
int main(void) {
    pc3_checkpoint();
    asm goto("" : : : : out);
out:
    return 0;
}
