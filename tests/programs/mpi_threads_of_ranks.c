/* pc3-test: mpi ranks=3 flags=-fopenmp,-pthread */
/* What a rank's regions of OpenMP and the threads that it makes run elsewhere is that rank's: its globals, its functions' static variables. */
#include "mpi_check.h"

#include <pthread.h>

enum { TEAM = 4 };

static int part[TEAM], told;

__attribute__((noinline)) static void add(int t, int v)
{
    static int times[TEAM];

    part[t] += v + times[t]++;
}

static int count(int t, int n)
{
    static int own[TEAM];
    int i;

    if (n < 0)
        return own[t];
    for (i = 0; i < n % 20; i++)
        own[t] += (i ^ n) + own[t] % 3;
    return own[t] & 7;
}

static void *run(void *at)
{
    int t = (int)((int *)at - part);

    for (int i = 0; i < 100; i++)
        add(t, i % 3);
    return 0;
}

static void in_teams(int k)
{
    int sum = 0;

#pragma omp parallel num_threads(TEAM)
#pragma omp for schedule(static, 1)
    for (int t = 0; t < TEAM; t++)
        add(t, k);
#pragma omp parallel for num_threads(TEAM) schedule(dynamic, 1)
    for (int t = 0; t < TEAM; t++)
        add(t, 2 * k);
#pragma omp parallel for num_threads(TEAM) schedule(guided)
    for (int t = 0; t < TEAM; t++)
        add(t, 3);
#pragma omp parallel for num_threads(TEAM) schedule(runtime)
    for (int t = 0; t < TEAM; t++)
        add(t, 5);
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    for (int t = 0; t < TEAM; t++)
#pragma omp task
        add(t, 7);
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        add(0, k);
#pragma omp section
        add(1, k);
    }
#pragma omp parallel for num_threads(TEAM) schedule(static, 1) reduction(+ : sum)
    for (int t = 0; t < TEAM; t++)
        for (int n = 0; n < 200; n++)
            sum += count(t, n + k);
    told += sum;
}

/* Who waits in MPI does so in the midst of a region, while other ranks begin theirs. */
static void in_region(int k)
{
    int sum = 0, in = k, out = 0;

#pragma omp parallel num_threads(TEAM) reduction(+ : sum)
    {
#pragma omp master
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp for schedule(static, 1)
        for (int t = 0; t < TEAM; t++)
            add(t, out);
        sum += out;
    }
    told += sum;
}

static void in_threads(void)
{
    pthread_t threads[TEAM];

    for (int t = 0; t < TEAM; t++)
        pthread_create(&threads[t], 0, run, &part[t]);
    for (int t = 0; t < TEAM; t++)
        pthread_join(threads[t], 0);
}

int main(int argc, char **argv)
{
    int rank, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < 4; k++) {
        in_teams(k + rank * 10);
#pragma pc3 checkpoint
        in_threads();
        in_region(k + rank);
        for (int t = 0; t < TEAM; t++)
            show_all("part", part[t] + 7 * count(t, -1));
        show_all("told", told);
    }
    return mpi_finish();
}
