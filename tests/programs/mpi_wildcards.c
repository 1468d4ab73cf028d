/* pc3-test: mpi ranks=4 */
/* Receives from any source and of any tag: what arrives first is up to the system, so only
 * totals are shown, which must come out right. */
#include "mpi_check.h"

enum { MESSAGES = 9 };

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 3; round++) {
        int collector = round % ranks;
        if (rank != collector) {
            for (int m = 0; m < MESSAGES; m++) {
                int value[2] = {rank * 100 + m, m};
                MPI_Send(value, 2, MPI_INT, collector, m % 3, MPI_COMM_WORLD);
                if (m % (rank + 1) == 0) {
#pragma pc3 checkpoint
                    mix(m);
                }
            }
            show_all("sum", 0);
            show_all("order", 1);
            continue;
        }
        int sum = 0, ordered = 1, *last = malloc(3 * (size_t)ranks * sizeof *last);
        if (!last)
            MPI_Abort(MPI_COMM_WORLD, 1);
        for (int i = 0; i < 3 * ranks; i++)
            last[i] = -1;
        for (int m = 0; m < MESSAGES * (ranks - 1); m++) {
            int value[2], available = 0;
            MPI_Status status;
            if (m % 2)
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &available, &status);
            if (available && m % 5 == 0)
                MPI_Recv(value, 2, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
            else
                MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            sum += value[0] * (status.MPI_TAG + 1) + status.MPI_SOURCE;
            /* From one rank with one tag, messages keep their order. */
            int *before = &last[3 * status.MPI_SOURCE + status.MPI_TAG];
            ordered = ordered && value[1] > *before;
            *before = value[1];
#pragma pc3 checkpoint
        }
        free(last);
        show_all("sum", sum);
        show_all("order", ordered);
    }
    return mpi_finish();
}
