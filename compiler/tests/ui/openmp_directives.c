// pc3cc: -fopenmp
#include <pc3.h>
static int a[9];
int main(void) {
#pragma omp parallel for
    for (int i = 0; i < 9; i++)
        a[i] = i;
#pragma omp barrier
    pc3_checkpoint();
#pragma omp flush(a)
    pc3_checkpoint();
    return a[3];
}
