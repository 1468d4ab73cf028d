/* Each rank hands a token to the next and passes a location, round after round, until somebody ends it.  Rank 0 has as many
 * MiB of numbers as the argument says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    double token = 0, *data = NULL;
    size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) << 17 : 0, at = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        data = malloc((size + 1) * sizeof *data);
        for (size_t i = 0; i <= size; i++)
            data[i] = i;
        puts("ready"), fflush(stdout);
    }
    for (;;) {
        MPI_Sendrecv_replace(&token, 1, MPI_DOUBLE, (rank + 1) % ranks, 1, (rank + ranks - 1) % ranks, 1,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token += data ? data[at++ % (size + 1)] : rank;
#pragma pc3 checkpoint
    }
}
