// pc3cc: -fopenmp
#include <pc3.h>
static int a, b = 3, c;
#pragma omp threadprivate(a, b)
int main(void) {
    static int b, d;
#pragma omp threadprivate(d)
#pragma omp parallel
    d += a + b + c;
    pc3_checkpoint();
    return a + b + c + d;
}
