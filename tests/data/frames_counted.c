/* pc3-test: mpi ranks=32 */
/* So many rounds of collectives that go along a tree: fourteen in each. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks, rounds = argc > 1 ? atoi(argv[1]) : 0;
    double mine, sum = 0, all[64];
    MPI_Comm made;
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < rounds; i++) {
        int root = i % ranks;
        MPI_Barrier(MPI_COMM_WORLD);
        mine = sum + rank;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Bcast(&sum, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
        MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD);
        MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
        MPI_Scatter(all, 1, MPI_DOUBLE, &mine, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
        MPI_Scan(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
        MPI_Iallreduce(&mine, all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        MPI_Comm_free(&made);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 3, rank, &made);
        MPI_Comm_free(&made);
    }
    if (rank == 0)
        printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
