/* pc3-test: mpi ranks=4 */
/* A ring in which somebody asks for a checkpoint: asks.c ROUND raises SIGUSR1 before that round's location,
 * ROUND 0 behind the last one. `asks.c hopeless` has ranks that can never be at their locations together. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hopeless(int rank)
{
    int i;
    if (rank > 0)
        MPI_Recv(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = 0;; i++) {
        if (i == 1) {
            puts("ready");
            fflush(stdout);
        }
#pragma pc3 checkpoint
        usleep(100);
    }
}

int main(int argc, char **argv)
{
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(argv[1], "hopeless") == 0)
        hopeless(rank);
    int when = atoi(argv[1]);
    for (int round = 1; round <= 20; round++) {
        if (rank == 0 && round == when)
            raise(SIGUSR1);
#pragma pc3 checkpoint
        int next = token + round * rank;
        MPI_Sendrecv(&next, 1, MPI_INT, (rank + 1) % size, 7, &token, 1, MPI_INT, (rank + size - 1) % size, 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0 && when == 0)
        raise(SIGUSR1);
    if (rank == 0)
        printf("token %d\n", token);
    MPI_Finalize();
    return 0;
}
