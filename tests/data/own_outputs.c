/* pc3-test: mpi ranks=2 */
/* Each rank has a file of its own in the place of standard output. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    char name[20];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sprintf(name, "output.%d", rank);
    if (!freopen(name, "w", stdout))
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < 4; step++) {
#pragma pc3 checkpoint
        printf("%d of %d\n", step, rank);
    }
    MPI_Finalize();
    return 0;
}
