/* pc3-test: mpi ranks=2 */
/* A rank asks for memory all the time, of which there is just enough for it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 200, BYTES = 200 << 20, PAGE = 4096 };

int main(int argc, char **argv)
{
    int rank, ranks, none = 0;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned char *big = malloc(BYTES);
    if (!big)
        return 3;
    for (long at = 0; at < BYTES; at += PAGE)
        big[at] = (unsigned char)(at / PAGE % 251);
    for (int i = 0; i < ROUNDS; i++) {
        int value = i ^ rank, got;
        /* Rank 1 waits when rank 0 comes to its location, and comes to its own behind what rank 0 asks for then. */
        if (rank == 0)
            usleep(2000);
        else
            MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        if (rank == 0) {
            char *more = malloc((size_t)(100 + i % 30) << 20);
            none += !more;
            free(more);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
        sum = (sum * 31 + got + big[i * 37L * PAGE]) % 1000003;
    }
    long sums[16];
    MPI_Gather(&sum, 1, MPI_LONG, sums, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("%d %ld, %d not found\n", r, sums[r], none);
    free(big);
    MPI_Finalize();
    return 0;
}
