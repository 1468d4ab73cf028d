/* pc3-test: mpi ranks=6 */
/* Ranks pass at different rates, so that all of them have ended before the first checkpoint is committed; one ends with a status. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, mine = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 40 * (rank + 1); i++) {
#pragma pc3 checkpoint
        mine += i;
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 20; i++) {
#pragma pc3 checkpoint
        MPI_Allreduce(&all, &mine, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("%d\n", mine);
        fflush(stdout);
    }
    MPI_Finalize();
    return rank == 2 ? 9 : 0;
}
