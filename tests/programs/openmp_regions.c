/* pc3-test: seq flags=-fopenmp */
/* OpenMP's regions between locations. */
#include "check.h"

int main(void)
{
    enum { N = 64 };
    static double a[N], b[N];
    double *sum = malloc(sizeof *sum);
    if (!sum)
        abort();
    *sum = 0;
    for (int round = 0; round < 4; round++) {
#pragma pc3 checkpoint
        int last = 0;
#pragma omp parallel for num_threads(2) lastprivate(last)
        for (int i = 0; i < N; i++) {
            a[i] += i * round;
            last = i;
        }
#pragma pc3 checkpoint
#pragma omp parallel num_threads(2)
        {
#pragma omp for
            for (int i = 0; i < N; i++)
                b[i] = a[N - 1 - i] + last;
        }
        for (int i = 0; i < N; i++)
            *sum += b[i] * i;
        show_real("sum", *sum);
    }
    free(sum);
    return finish();
}
