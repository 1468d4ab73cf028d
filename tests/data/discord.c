/* pc3-test: mpi ranks=3 */
/* A token goes round, and who has it prints; locations are far apart, and no two ranks' at one time. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 15000, FAR = 51 };

int main(int argc, char **argv)
{
    int rank, ranks;
    long sum = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ROUNDS; i++) {
        int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
        if (i > 0 || rank > 0)
            MPI_Recv(&sum, 1, MPI_LONG, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = (sum * 31 + rank) % 1000003;
        printf("%d %d %ld\n", rank, i, sum);
        if (i % FAR == FAR / ranks * rank) {
#pragma pc3 checkpoint
            sum++;
        }
        if (i < ROUNDS - 1 || rank < ranks - 1)
            MPI_Send(&sum, 1, MPI_LONG, to, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
