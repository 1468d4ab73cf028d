/* pc3-test: mpi ranks=4 */
/* Locks of windows: a queue of tasks by MPI_Fetch_and_op, a lock by MPI_Compare_and_swap, a table of sums, requests; with locations
 * while they are held. */
#include "mpi_check.h"

enum { tasks = 24, slots = 7 };

static void take_turn(MPI_Win window, int rank, int to)
{
    int old, free_now = -1;
    /* The word behind the counter says whose turn it is. */
    do {
        MPI_Compare_and_swap(&rank, &free_now, &old, MPI_INT, 0, 1, window);
        MPI_Win_flush(0, window);
    } while (old != free_now);
#pragma pc3 checkpoint
    MPI_Accumulate(&to, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush(0, window);
    MPI_Accumulate(&free_now, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
}

int main(int argc, char **argv)
{
    int rank, ranks, one = 1, task, counters[3] = {0, -1, 0}, done[tasks], *all;
    long *table, sums[slots], got;
    struct { double value; int place; } best = {-1, -1}, mine;
    MPI_Win queue, sums_of, bests;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_create(counters, rank == 0 ? sizeof counters : 0, sizeof *counters, MPI_INFO_NULL, MPI_COMM_WORLD, &queue);
    MPI_Win_allocate(slots * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &table, &sums_of);
    MPI_Win_create(&best, sizeof best, sizeof best, MPI_INFO_NULL, MPI_COMM_WORLD, &bests);
    for (int i = 0; i < slots; i++)
        table[i] = 0;
    memset(done, 0, sizeof done);
    MPI_Barrier(MPI_COMM_WORLD);

    /* Who does which task may differ; what becomes of all does not. */
    MPI_Win_lock_all(0, queue);
    for (;;) {
        MPI_Fetch_and_op(&one, &task, MPI_INT, 0, 0, MPI_SUM, queue);
        MPI_Win_flush(0, queue);
        if (task >= tasks)
            break;
#pragma pc3 checkpoint
        done[task]++;
        long key = task * 5 + 3, value = key * key;
        int owner = (int)(key % ranks);
        MPI_Win_lock(task % 3 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, owner, 0, sums_of);
        MPI_Accumulate(&value, 1, MPI_LONG, owner, key % slots, 1, MPI_LONG, MPI_SUM, sums_of);
#pragma pc3 checkpoint
        MPI_Get(&got, 1, MPI_LONG, owner, key % slots, 1, MPI_LONG, sums_of);
        MPI_Win_unlock(owner, sums_of);
        mine.value = task % 11;
        mine.place = task;
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, bests);
        MPI_Raccumulate(&mine, 1, MPI_DOUBLE_INT, 1, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, bests, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_unlock(1, bests);
    }
    take_turn(queue, rank, rank + 1);
    MPI_Win_unlock_all(queue);
#pragma pc3 checkpoint
    all = calloc(tasks, sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Reduce(done, all, tasks, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        int once = 1;
        for (int i = 0; i < tasks; i++)
            once &= all[i] == 1;
        printf("each once: %d, turns %d\n", once, counters[2]);
    }
    free(all);
    long total = 0;
    for (int from = 0; from < ranks; from++) {
        MPI_Win_lock(MPI_LOCK_SHARED, from, 0, sums_of);
        MPI_Rget(sums, slots, MPI_LONG, from, 0, slots, MPI_LONG, sums_of, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        MPI_Win_unlock(from, sums_of);
        for (int i = 0; i < slots; i++)
            total += sums[i] * (i + 1);
    }
    show_all("table", (int)total);
    MPI_Barrier(MPI_COMM_WORLD);
    show_all("best", best.place * 100 + (int)best.value);
    MPI_Win_free(&bests);
    MPI_Win_free(&sums_of);
    MPI_Win_free(&queue);
    return mpi_finish();
}
