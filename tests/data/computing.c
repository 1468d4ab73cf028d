/* pc3-test: mpi ranks=3 */
/* Rank 2 computes for ever, without a location, while the others pass locations. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 2)
        usleep(1000);
    for (;;) {
#pragma pc3 checkpoint
        usleep(1000);
    }
}
