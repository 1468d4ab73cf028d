/* pc3-test: mpi ranks=3 */
/* Ranks that never wait for anybody: each passes its locations in one go. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    unsigned sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (unsigned i = 0; i < 2000000; i++) {
        sum = sum * 5 + i + (unsigned)rank;
#pragma pc3 checkpoint
    }
    printf("%d %u\n", rank, sum);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
