// pc3cc: -fopenmp
#include <pc3.h>
static __thread int a;
_Thread_local int b = 3;
int main(void) {
#pragma omp parallel
    a += b;
    pc3_checkpoint();
    return a + b;
}
