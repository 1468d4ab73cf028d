/* pc3-test: mpi ranks=3 */
/* Rank 2 waits for a message that does not come, while the others pass locations for ever. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (;;) {
#pragma pc3 checkpoint
        usleep(1000);
    }
}
