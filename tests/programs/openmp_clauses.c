/* pc3-test: seq flags=-fopenmp */
/* Directives of OpenMP that name variables which are not where they were. */
#include "check.h"

static int *kept[4];

static void keep(int i, int *p)
{
    kept[i] = p;
}

int main(void)
{
    static int calls, each = 1;
    int threads = 2, count[8] = {0}, sum = 0, added = 0;
    keep(0, &threads);
    keep(1, count);
    for (int round = 0; round < 4; round++) {
#pragma pc3 checkpoint
#pragma omp parallel for default(none) shared(count, threads, added) \
    reduction(+ : sum, calls) num_threads(threads) schedule(static, threads)
        for (int i = 0; i < 8; i++) {
            count[i] += i;
            sum += i;
            calls++;
#pragma omp atomic
            added++;
        }
#pragma omp parallel default(none) shared(calls, count) num_threads(each + *kept[0] - 1) if (threads > 1)
#pragma omp single
        {
            count[0]++;
#pragma omp task shared(calls)
            calls++;
        }
        show("sum", sum + added);
    }
    show("calls", calls);
    show("counted", kept[1][0] * 1000 + count[7]);
    return finish();
}
