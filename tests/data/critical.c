/* pc3-test: mpi ranks=3 */
/* Rank 2 passes all its locations within a critical section, as the others pass theirs outside of one. */
#include <mpi.h>
#include <pc3.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        pc3_critical_begin();
    for (;;) {
#pragma pc3 checkpoint
        usleep(1000);
    }
}
