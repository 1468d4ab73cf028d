/* pc3-test: mpi ranks=4 */
/* Overlapping groups whose collectives come in different orders, also such as are pending at locations. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 4000 };

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm pair, half, all;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    double x = rank + 1, y = 0, z = 0;
    long total[2] = {rank, 1}, sums[2] = {0, 0};
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request later;
        MPI_Iallreduce(total, sums, 2, MPI_LONG, MPI_SUM, all, &later);
#pragma pc3 checkpoint
        MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, pair);
        if ((i + rank) % 3 == 0) {
#pragma pc3 checkpoint
            z += 1e-3;
        }
        MPI_Bcast(&y, 1, MPI_DOUBLE, i % 2 ? 0 : 1, half);
        double each[4] = {0, 0, 0, 0};
        MPI_Allgather(&y, 1, MPI_DOUBLE, each, 1, MPI_DOUBLE, half);
#pragma pc3 checkpoint
        MPI_Wait(&later, MPI_STATUS_IGNORE);
        z = z * 0.5 + each[0] - each[1];
        x = x * 0.75 + y * 0.125 + z * 0.01 + (double)(sums[0] % 7);
        total[0] = (sums[0] + rank * i) % 1000;
        if (i % 10 == 9) {
            MPI_Barrier(all);
#pragma pc3 checkpoint
        }
    }
    double xs[16];
    MPI_Gather(&x, 1, MPI_DOUBLE, xs, 1, MPI_DOUBLE, 0, all);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("%d %.17g\n", r, xs[r]);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
