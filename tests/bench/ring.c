/* Ranks hand their numbers round in a ring and add them up: ring STEPS. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int steps = argc > 1 ? atoi(argv[1]) : 0, token = rank;
    for (int i = 0; i < steps; i++) {
#pragma pc3 checkpoint
        double mine, sum;
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
            MPI_STATUS_IGNORE);
        mine = token;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (token != (rank + size - (i + 1) % size) % size || sum != .5 * size * (size - 1.))
            MPI_Abort(MPI_COMM_WORLD, 1);
        if (rank == 0)
            printf("%d: %d at rank 0, %.0f in all\n", i, token, sum);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
