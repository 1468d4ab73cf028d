// pc3cc: -fopenmp
#include <pc3.h>
static int n;
# 1 "/usr/include/library.h" 1 3
int of_library(void);
#pragma omp begin declare variant match(device={kind(host)})
static inline int of_library(void) { return 1; }
#pragma omp end declare variant
#pragma omp begin declare variant match(device={kind(nohost)})
static inline int of_library(void) { return 0; }
#pragma omp end declare variant
# 13 "openmp_variants.c" 2
static int area(int a) { return a * a; }
#pragma omp begin declare variant match(device={kind(host)})
#pragma omp begin declare variant match(implementation={vendor(llvm)})
static int area(int a) { return a + n; }
#pragma omp end declare variant
#pragma omp end declare variant
int main(void) {
    pc3_checkpoint();
    return area(n) + of_library();
}
