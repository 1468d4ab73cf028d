/* pc3-test: mpi ranks=5 */
/* A mix of collectives with uneven counts, in place, and at changing roots, between locations. */
#include "mpi_check.h"

enum { MOST = 8 };

static int digest(const int *values, int count)
{
    int sum = count;
    for (int i = 0; i < count; i++)
        sum = (sum * 13 + values[i]) % 100003;
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int counts[MOST], at[MOST], back[MOST], back_at[MOST], out[MOST * MOST], in[MOST * MOST];
    for (int step = 0; step < 4; step++) {
        int root = step % ranks, total = 0, wanted = 0;
        for (int i = 0; i < MOST * MOST; i++) {
            out[i] = rank * 100 + step * 10 + i;
            in[i] = -1;
        }
        for (int r = 0; r < ranks; r++) {
            counts[r] = (r + step) % 3;
            at[r] = total;
            total += counts[r] + 1; /* with gaps */
        }
#pragma pc3 checkpoint
        MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, at, MPI_INT, MPI_COMM_WORLD);
        show_all("allgatherv", digest(in, total));
        MPI_Gatherv(out + 1, counts[rank], MPI_INT, in, counts, at, MPI_INT, root, MPI_COMM_WORLD);
        show_all("gatherv", rank == root ? digest(in, total) : 0);
#pragma pc3 checkpoint
        MPI_Scatterv(in, counts, at, MPI_INT, out, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
        show_all("scatterv", digest(out, counts[rank]));
        total = 0;
        for (int r = 0; r < ranks; r++) {
            counts[r] = (rank + 2 * r + step) % 4;
            back[r] = (r + 2 * rank + step) % 4;
            at[r] = total;
            back_at[r] = wanted;
            total += counts[r];
            wanted += back[r];
        }
#pragma pc3 checkpoint
        MPI_Alltoallv(out, counts, at, MPI_INT, in, back, back_at, MPI_INT, MPI_COMM_WORLD);
        show_all("alltoallv", digest(in, wanted));
        MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
        show_all("alltoall", digest(in, 2 * ranks));
#pragma pc3 checkpoint
        int value = rank * rank + step, scan, before = 0, all = value;
        MPI_Scan(&value, &scan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Exscan(&value, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
        show_all("scans", scan * 1000 + (rank ? before : 0));
        show_all("product", all);
        double real = rank == root ? step / 4.0 : -1;
        MPI_Bcast(&real, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
#pragma pc3 checkpoint
        show_all("broadcast", (int)(real * 4));
        for (int r = 0; r < ranks; r++)
            counts[r] = r % 2 + 1;
        int share[2] = {0, 0};
        MPI_Reduce_scatter(out, share, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        show_all("reduce_scatter", share[0] * 3 + share[1]);
        MPI_Allgather(&value, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Gather(&value, 1, MPI_INT, in + ranks, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatter(out, 1, MPI_INT, &value, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        show_all("rest", digest(in, ranks) + value);
    }
    return mpi_finish();
}
