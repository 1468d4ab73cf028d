/* What the MPI test programs share.  Every rank mixes its values; rank 0 alone prints. */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#include "check.h"

#include <mpi.h>

/* Shows the value of every rank, in rank order; collective. */
static inline void show_all(const char *what, int value)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *all = malloc((size_t)ranks * sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    mix(value);
    if (rank == 0) {
        printf("%s", what);
        for (int r = 0; r < ranks; r++)
            printf(" %d", all[r]);
        printf("\n");
    }
    free(all);
}

/* Ends the program: rank 0 combines the checksums of all; collective. */
static inline int mpi_finish(void)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned mine = check_sum, *all = malloc((size_t)ranks * sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(&mine, 1, MPI_UNSIGNED, all, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int r = 0; r < ranks; r++)
            mix(all[r]);
        finish();
    }
    free(all);
    MPI_Finalize();
    return EXIT_SUCCESS;
}

#endif
