/* pc3-test: mpi ranks=2 */
/* The first rank adds the numbers of its standard input. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, n = 0;
    long x, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 0 && scanf("%ld", &x) == 1) {
        n++;
        sum += x;
    }
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d numbers, sum %ld\n", n, sum);
    MPI_Finalize();
    return 0;
}
