/* pc3-test: mpi ranks=3 */
/* Rank 0 passes thousands of locations for each one of the others, which compute for long in between; rank 1 says when it
 * has done half of that. */
#include <mpi.h>
#include <stdio.h>

enum { MANY = 20000, FEW = 40 };

static unsigned work(unsigned x, int steps)
{
    for (int i = 0; i < steps; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

int main(int argc, char **argv)
{
    int rank;
    unsigned x, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x = (unsigned)rank;
    for (int i = 0; i < (rank == 0 ? MANY : FEW); i++) {
        x = work(x, rank == 0 ? 10000 : 20000000);
#pragma pc3 checkpoint
        if (rank == 1 && i == FEW / 2) {
            printf("half through\n");
            fflush(stdout);
        }
    }
    MPI_Reduce(&x, &all, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%u\n", all);
    MPI_Finalize();
    return 0;
}
