/* pc3-test: mpi ranks=9 */
/* Rank 0 takes what the others send in the order of arrival and prints it; rank r sends 10 r bytes to rank (r + 3) % n. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    char out[100] = {0}, in[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 4; round++) {
        MPI_Request request;
        MPI_Irecv(in, 100, MPI_CHAR, (rank + ranks - 3) % ranks, 1, MPI_COMM_WORLD, &request);
        MPI_Send(out, 10 * rank, MPI_CHAR, (rank + 3) % ranks, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 0)
            MPI_Ssend(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        for (int i = 1; rank == 0 && i < ranks; i++) {
            int who;
            MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("%d%c", who, i + 1 < ranks ? ' ' : '\n');
        }
    }
    MPI_Finalize();
    return 0;
}
