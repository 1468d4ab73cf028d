/* pc3-test: mpi ranks=2 */
/* One rank prints, line by line. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 8; i++) {
#pragma pc3 checkpoint
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            printf("step %d of rank %d\n", i, rank);
            fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
