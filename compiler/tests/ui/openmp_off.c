// pc3cc: -O1
/* Without -fopenmp the directives mean nothing. */
#include <pc3.h>
static int work(int i) { pc3_checkpoint(); return i; }
int main(void) {
    int s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < 9; i++)
        s += work(i);
#pragma omp parallel
    { pc3_checkpoint(); }
    return s;
}
