/* Each rank hands a token to the next and passes a location, round after round, until somebody ends it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    double token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        puts("ready"), fflush(stdout);
    for (;;) {
        MPI_Sendrecv_replace(&token, 1, MPI_DOUBLE, (rank + 1) % ranks, 1, (rank + ranks - 1) % ranks, 1,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token += rank;
#pragma pc3 checkpoint
    }
}
