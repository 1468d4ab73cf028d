#include <pc3.h>
int main(void) {
    void *next = &&out;
    pc3_checkpoint();
    goto *next;
out:
    return 0;
}
