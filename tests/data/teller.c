/* pc3-test: mpi ranks=4 flags=-D_FORTIFY_SOURCE=2 */
/* Each rank says something as it begins, which waits in its stream, and one of them something now and then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 12000, OFTEN = 400 };

int main(int argc, char **argv)
{
    int rank, ranks;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int r = 0; r < ranks; r++) {
        if (r == rank)
            printf("rank %d begins\n", rank);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < ROUNDS; i++) {
#pragma pc3 checkpoint
        int value = i ^ rank, got;
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % ranks, 1, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = (sum * 31 + got) % 1000003;
        if (rank == 0 && i % OFTEN == 0)
            printf("%d %ld\n", i, sum);
    }
    long sums[16];
    MPI_Gather(&sum, 1, MPI_LONG, sums, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("rank %d: %ld\n", r, sums[r]);
    MPI_Finalize();
    return 0;
}
