#include <pc3.h>
static __thread int a;
_Thread_local int b = 3;
int main(void) {
    pc3_checkpoint();
    return a + b;
}
