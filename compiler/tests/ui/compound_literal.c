#include <pc3.h>
static _BitInt(sizeof(int)) *keep;
int main(void) {
    for (int i = 0; i < 3; i++) {
        keep = &(_BitInt(sizeof(int))){ 1 };
        pc3_checkpoint();
    }
    return keep != 0;
}
