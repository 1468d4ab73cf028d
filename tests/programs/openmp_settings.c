/* pc3-test: seq flags=-fopenmp */
/* What a program has set by OpenMP's functions stays set. */
#include "check.h"

#include <omp.h>

/* As many as the region has threads, in an order that the schedule says. */
static int parts(int n)
{
    int sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += (omp_get_thread_num() + 1) * i;
    return sum;
}

static int nested(void)
{
    int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_num_threads();
    return sum;
}

static void show_settings(int step)
{
    omp_sched_t kind;
    int chunk;

    omp_get_schedule(&kind, &chunk);
    show("step", step);
    show("threads", omp_get_max_threads());
    show("dynamic", omp_get_dynamic());
    show("chunk", (int)kind % 8 * 100 + chunk);
    show("parts", parts(23));
    show("nested", nested());
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_num_threads(3);
    omp_set_schedule(omp_sched_static, 2);
    for (int step = 0; step < 6; step++) {
#pragma pc3 checkpoint
        if (step == 3)
            omp_set_num_threads(5);
        if (step == 2 || step == 4)
            omp_set_max_active_levels(step == 4 ? 1 : 2);
#pragma omp parallel num_threads(2)
        omp_set_num_threads(7);
        show_settings(step);
    }
    return finish();
}
