/* pc3-test: mpi ranks=4 */
/* Ranks that wait for others with nothing but operations on windows, while those stand at locations. */
#include "mpi_check.h"

enum { steps = 3 };

/* Returns when the number at that place is so much. */
static void wait_by_get(MPI_Win w, int at, int from, int value)
{
    int now;
    do {
        MPI_Get(&now, 1, MPI_INT, from, at, 1, MPI_INT, w);
        MPI_Win_flush(from, w);
    } while (now < value);
}

static void wait_by_lock(MPI_Win w, int at, int from, int value)
{
    int now;
    do {
        MPI_Win_lock(MPI_LOCK_SHARED, from, 0, w);
        MPI_Get(&now, 1, MPI_INT, from, at, 1, MPI_INT, w);
        MPI_Win_unlock(from, w);
    } while (now < value);
}

static void wait_by_fetch(MPI_Win w, int at, int from, int value)
{
    int now, none = 0;
    do {
        MPI_Fetch_and_op(&none, &now, MPI_INT, from, at, MPI_NO_OP, w);
        MPI_Win_flush(from, w);
    } while (now < value);
}

/* It says again and again that it waits. */
static void wait_by_put(MPI_Win w, int at, int from, int value, volatile int *mine)
{
    do {
        MPI_Put(&value, 1, MPI_INT, from, at + 4, 1, MPI_INT, w);
        MPI_Win_flush(from, w);
    } while (*mine < value);
}

int main(int argc, char **argv)
{
    int rank, ranks, numbers[8] = {0};
    MPI_Win all, single;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &all);
    MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &single);
    MPI_Win_lock_all(0, all);
    for (int i = 1; i <= steps; i++) {
        /* Each waits for the one before it, the first for the last of the step before. */
        int value = rank == 0 ? i - 1 : i;
        wait_by_get(all, 0, last, value);
#pragma pc3 checkpoint
        MPI_Accumulate(&i, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_REPLACE, all);
        MPI_Win_flush(rank, all);
        wait_by_lock(single, 1, last, value);
#pragma pc3 checkpoint
        MPI_Accumulate(&i, 1, MPI_INT, rank, 1, 1, MPI_INT, MPI_REPLACE, all);
        MPI_Win_flush(rank, all);
        wait_by_fetch(all, 2, last, value);
#pragma pc3 checkpoint
        MPI_Accumulate(&i, 1, MPI_INT, rank, 2, 1, MPI_INT, MPI_REPLACE, all);
        MPI_Win_flush(rank, all);
        if (value > 0)
            wait_by_put(all, 3, last, value, &numbers[3]);
#pragma pc3 checkpoint
        MPI_Accumulate(&i, 1, MPI_INT, next, 3, 1, MPI_INT, MPI_REPLACE, all);
        MPI_Win_flush(next, all);
    }
    MPI_Win_unlock_all(all);
    MPI_Barrier(MPI_COMM_WORLD);
    show_all("numbers", numbers[0] * 1000 + numbers[1] * 100 + numbers[2] * 10 + numbers[3]);
    MPI_Win_free(&single);
    MPI_Win_free(&all);
    return mpi_finish();
}
