/* pc3-test: mpi ranks=3 */
/* Shared windows, which are gone at locations. */
#include "mpi_check.h"

/* A token goes round in shared memory. */
static int pass_round(int rank, int ranks)
{
    MPI_Win window;
    MPI_Aint size;
    int unit, *mine, *left, seen;
    MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
    *mine = 0;
    MPI_Win_lock_all(0, window);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_shared_query(window, (rank + ranks - 1) % ranks, &size, &unit, &left);
    if (rank == 0)
        *mine = 1;
    while ((seen = *(volatile int *)left) == 0)
        MPI_Win_sync(window);
    if (rank != 0)
        *mine = seen + 1;
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    return seen;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        show_all("round", i * 10 + pass_round(rank, ranks));
    }
    return mpi_finish();
}
