#include <pc3.h>
enum kind : __typeof__(1) { A };
__attribute__((overloadable)) static int twice(int n) { return 2 * n; }
int main(void) {
    pc3_checkpoint();
    return twice(A);
}
