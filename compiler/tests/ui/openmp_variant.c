// pc3cc: -fopenmp
#include <pc3.h>
static int n;
static int quick(int a) { pc3_checkpoint(); return a + n; }
static int small(int a) { return a - n; }
#pragma omp declare variant(quick) match(construct={parallel})
#pragma omp declare variant(small) match(construct={simd})
static int area(int a) { return a * a; }
int main(void) {
    pc3_checkpoint();
    return area(n);
}
