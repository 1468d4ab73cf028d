/* pc3-test: mpi ranks=4 */
/* Half of the ranks poll for what nobody sends, until there is a file; the others wait for them. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma pc3 checkpoint
    if (rank % 2) {
        while (!flag && access("enough", F_OK) != 0)
            MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, rank - 1, 5, MPI_COMM_WORLD);
    } else
        MPI_Recv(&x, 1, MPI_INT, rank + 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("enough\n");
    MPI_Finalize();
    return 0;
}
