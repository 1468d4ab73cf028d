#include <pc3.h>
static _Decimal64 *keep;
int main(void) {
    for (int i = 0; i < 3; i++) {
        keep = &(_Decimal64){ 1 };
        pc3_checkpoint();
    }
    return keep != 0;
}
