/* pc3-test: mpi ranks=2 */
/* For a third of the time a rank has more memory than there can be a copy of. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 6000, BYTES = 400 << 20, PAGE = 4096 };

int main(int argc, char **argv)
{
    int rank, ranks;
    unsigned char *big = NULL;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ROUNDS; i++) {
#pragma pc3 checkpoint
        int value = i ^ rank, got;
        if (rank == 0 && i == ROUNDS / 3) {
            big = malloc(BYTES);
            if (!big)
                return 3;
            for (long at = 0; at < BYTES; at += PAGE)
                big[at] = (unsigned char)(at / PAGE % 251);
        }
        if (rank == 0 && i == ROUNDS / 3 * 2) {
            free(big);
            big = NULL;
        }
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % ranks, 1, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* So that checkpoints are written meanwhile. */
        usleep(100);
        sum = (sum * 31 + got + (big ? big[i * 37L % (BYTES / PAGE) * PAGE] : 0)) % 1000003;
    }
    long sums[16];
    MPI_Gather(&sum, 1, MPI_LONG, sums, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("%d %ld\n", r, sums[r]);
    MPI_Finalize();
    return 0;
}
