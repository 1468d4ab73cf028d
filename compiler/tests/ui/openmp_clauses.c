// pc3cc: -fopenmp
#include <pc3.h>
static int *kept;
static void keep(int *p) { kept = p; }
int main(void) {
    static int calls;
    int sum = 0, n = 2, i;
    keep(&sum);
    pc3_checkpoint();
#pragma omp parallel for default(none) shared(n) num_threads(n) reduction(+ : calls)
    for (int k = 0; k < 9; k++)
        calls += n;
#pragma omp parallel for firstprivate(n) reduction(+ : sum)
    for (int k = 0; k < 9; k++)
        sum += k + n;
    keep(&i);
    pc3_checkpoint();
#pragma omp parallel for
    for (i = 0; i < 9; i++)
        ;
    return *kept + sum + calls;
}
