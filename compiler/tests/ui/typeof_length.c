#include <pc3.h>
int main(void) {
    int n = 3;
    int v[n];
    pc3_checkpoint();
    __typeof__(v) *p = &v;
    return sizeof *p > 0;
}
