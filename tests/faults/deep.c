/* pc3-test: mpi ranks=2 */
/* Rank 1 recurses until its stack is used up. */
#include <mpi.h>
#include <stdio.h>

static int dive(volatile int depth)
{
    volatile char block[512];
    block[0] = (char)depth;
    return depth < 0 ? 0 : dive(depth + 1) + block[0];
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma pc3 checkpoint
    if (rank == 1)
        printf("%d\n", dive(0));
    MPI_Finalize();
    return 0;
}
