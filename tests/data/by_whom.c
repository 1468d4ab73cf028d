/* pc3-test: mpi ranks=2 */
/* Who has started its processes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d %s\n", sum, getenv("OMPI_COMM_WORLD_SIZE") ? "openmpi" : getenv("PMI_SIZE") ? "mpich" : "pc3run");
    MPI_Finalize();
    return 0;
}
