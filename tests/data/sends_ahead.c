/* pc3-test: mpi ranks=3 */
/* Rank 0 sends more than is kept of what nobody receives, to rank 1, which polls for what rank 2 sends when rank 0 is through:
 * any MPI that buffers short messages lets that go on. */
#include <mpi.h>
#include <stdio.h>

enum { MANY = 30 * 1000 };

int main(int argc, char **argv)
{
    int rank, there = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (long i = 0; i < MANY; i++)
            MPI_Send(&i, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_INT, 2, 2, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        while (!there) {
#pragma pc3 checkpoint
            MPI_Iprobe(2, 3, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        }
        for (long i = 0, got; i < MANY; i++) {
            MPI_Recv(&got, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (got != i)
                printf("%ld instead of %ld\n", got, i);
        }
        MPI_Recv(NULL, 0, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("all of it\n");
    }
    MPI_Finalize();
    return 0;
}
