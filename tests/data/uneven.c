/* pc3-test: mpi ranks=23 */
/* Collectives of all kinds that go along trees, between locations that each rank comes to at steps of its own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 240, LONG = 900 };

int main(int argc, char **argv)
{
    int rank, ranks, step;
    double later[3], sums[3], *own = calloc(LONG, sizeof(double)), *all = calloc(LONG, sizeof(double)), digest = 0;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (step = 0; step < STEPS; step++) {
        int n = step % 5 == 0 ? LONG : 1 + step % 3;
        for (int i = 0; i < n; i++)
            own[i] = 1. / (1 + rank + i + step) + digest * 1e-3;
        MPI_Allreduce(own, all, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            digest = digest * .75 + all[i];
        for (int i = 0; i < 3; i++)
            later[i] = digest / (i + rank + 1);
        MPI_Iallreduce(later, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
        if (step % (1 + rank % 4) == 0) {
#pragma pc3 checkpoint
        }
        if (rank == step % ranks)
            own[0] = digest;
        MPI_Bcast(own, n, MPI_DOUBLE, step % ranks, MPI_COMM_WORLD);
        digest += own[0] / 3;
        MPI_Ibarrier(MPI_COMM_WORLD, &r[1]);
        if (rank % 7 == 2) {
#pragma pc3 checkpoint
        }
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 3; i++)
            digest = digest * .5 + sums[i];
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Reduce(own, all, n, MPI_DOUBLE, MPI_MAX, (step + 5) % ranks, MPI_COMM_WORLD);
        if (rank == (step + 5) % ranks && step % 20 == 0) {
            printf("%d %.17g\n", step, all[n - 1]);
            fflush(stdout);
        }
    }
    MPI_Reduce(&digest, all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.17g\n", all[0]);
    MPI_Finalize();
    return 0;
}
