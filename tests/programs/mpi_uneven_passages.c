/* pc3-test: mpi ranks=4 */
/* Ranks pass different numbers of locations, at different speeds, and finish at different
 * times: a pipeline with a slow start, a farm of tasks in a fixed order, idle ranks. */
#include "mpi_check.h"

static int work(int amount)
{
    int sum = amount;
    for (int i = 0; i < amount; i++) {
#pragma pc3 checkpoint
        sum = (sum * 31 + i) % 1009;
    }
    return sum;
}

static int pipeline(int rank, int ranks, int items)
{
    int total = 0;
    for (int i = 0; i < items; i++) {
        int item = i;
        if (rank > 0)
            MPI_Recv(&item, 1, MPI_INT, rank - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        item += work(rank + i % 3);
        total += item;
        if (rank + 1 < ranks)
            MPI_Send(&item, 1, MPI_INT, rank + 1, i, MPI_COMM_WORLD);
    }
    return total;
}

static int farm(int rank, int ranks, int tasks)
{
    int total = 0;
    if (rank > 0) {
        for (int t = rank - 1; t < tasks; t += ranks - 1) {
            int result = work(t % 7 * rank);
            MPI_Send(&result, 1, MPI_INT, 0, t, MPI_COMM_WORLD);
        }
        return 0;
    }
    for (int t = 0; t < tasks; t++) {
        int result;
        MPI_Recv(&result, 1, MPI_INT, t % (ranks - 1) + 1, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        total = (total * 5 + result) % 100003;
        if (t % 4 == 0) {
#pragma pc3 checkpoint
            mix(total);
        }
    }
    return total;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    show_all("pipeline", pipeline(rank, ranks, 12));
    show_all("alone", rank == 2 ? work(50) : 0);
    show_all("farm", farm(rank, ranks, 25));
    int mine = work(rank * rank * 3), total;
    MPI_Reduce(&mine, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    show_all("total", rank == 0 ? total : 0);
    return mpi_finish();
}
