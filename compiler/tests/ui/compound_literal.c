#include <pc3.h>
static _Complex int *keep;
int main(void) {
    for (int i = 0; i < 3; i++) {
        keep = &(_Complex int){ 1 };
        pc3_checkpoint();
    }
    return keep != 0;
}
