/* pc3-test: mpi ranks=5 */
/* A master hands out work to whoever asks; workers never wait for one another, and nobody ever waits for all. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 60000, WORK = 1, DONE = 2 };

static unsigned solve(int task)
{
    unsigned h = 2166136261u + (unsigned)task;
    for (int i = 0; i < 50 + task % 97; i++)
        h = (h ^ (unsigned)i) * 16777619u;
    return h;
}

static unsigned master(int ranks)
{
    unsigned *results = calloc(TASKS, sizeof *results), sum = 0;
    int next = 0, busy = 0;
    for (int w = 1; w < ranks; w++) {
        MPI_Send(&next, 1, MPI_INT, w, WORK, MPI_COMM_WORLD);
        next++, busy++;
    }
    while (busy > 0) {
        unsigned got[2];
        MPI_Status status;
        if (next % 3 == 0) {
            int there = 0;
            while (!there)
                MPI_Iprobe(MPI_ANY_SOURCE, DONE, MPI_COMM_WORLD, &there, &status);
            MPI_Recv(got, 2, MPI_UNSIGNED, status.MPI_SOURCE, DONE, MPI_COMM_WORLD, &status);
        } else {
            MPI_Recv(got, 2, MPI_UNSIGNED, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        }
        if (results[got[0]])
            MPI_Abort(MPI_COMM_WORLD, 3);
        results[got[0]] = got[1];
        busy--;
#pragma pc3 checkpoint
        int tag = next < TASKS ? WORK : DONE;
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD);
        if (tag == WORK)
            next++, busy++;
    }
    for (int t = 0; t < TASKS; t++)
        sum = sum * 31 + results[t];
    free(results);
    return sum;
}

static void worker(void)
{
    for (;;) {
        int task;
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == DONE)
            return;
        unsigned result[2] = {(unsigned)task, solve(task)};
#pragma pc3 checkpoint
        MPI_Send(result, 2, MPI_UNSIGNED, 0, DONE, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        printf("sum %08x\n", master(ranks));
    else
        worker();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
