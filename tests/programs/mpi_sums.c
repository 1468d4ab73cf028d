/* pc3-test: mpi ranks=11 */
/* Reductions of values whose sums depend on the order, which is that of MPI_COMM_WORLD's binary tree wherever ranks are; of all
 * ranks, of some, and of some in another order. */
#include "mpi_check.h"

enum { MOST = 9000, RANKS = 11 };

static double out[MOST], in[MOST], column[RANKS];

static double value(int rank, int i)
{
    static const double scale[] = {1e16, 1, -1e16, 1e-3, 3e7};
    return scale[(rank * 7 + i) % 5] * (1 + rank * 0.37 + i % 101 * 0.011);
}

/* Of column[low] to column[high - 1]. */
static double tree(int low, int high)
{
    int half = 1;
    if (high - low == 1)
        return column[low];
    while (2 * half < high - low)
        half *= 2;
    return tree(low, low + half) + tree(low + half, high);
}

/* How many elements of `got` are not the sums of these ranks', from the first-th on. */
static int wrong(const double *got, int first, int count, const int *ranks, int n)
{
    int bad = 0;
    for (int i = 0; i < count; i++) {
        for (int r = 0; r < n; r++)
            column[r] = value(ranks[r], first + i);
        double sum = tree(0, n);
        bad += memcmp(&sum, &got[i], sizeof sum) != 0;
    }
    return bad;
}

static void fill(int rank, int count)
{
    for (int i = 0; i < count; i++) {
        out[i] = value(rank, i);
        in[i] = -1;
    }
}

static void all_of(MPI_Comm comm, int count)
{
    int me, n, world, ranks[RANKS];
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    MPI_Allgather(&world, 1, MPI_INT, ranks, 1, MPI_INT, comm);
    fill(world, count);
    MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, comm);
    show_all("allreduce", wrong(in, 0, count, ranks, n));
#pragma pc3 checkpoint
    MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_DOUBLE, MPI_SUM, comm);
    show_all("in place", wrong(out, 0, count, ranks, n));
    for (int root = 0; root < n; root += n - 1) {
        fill(world, count);
        MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, root, comm);
        show_all("reduce", me == root ? wrong(in, 0, count, ranks, n) : (int)in[0]);
    }
#pragma pc3 checkpoint
    fill(world, count);
    int each = count / n;
    MPI_Reduce_scatter_block(out, in, each, MPI_DOUBLE, MPI_SUM, comm);
    show_all("scattered", wrong(in, me * each, each, ranks, n));
    struct {
        double value;
        int rank;
    } mine[2] = {{value(world, count), world}, {-world, me}}, best[2];
    MPI_Allreduce(mine, best, 2, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    show_all("greatest", best[0].rank * 100 + best[1].rank);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm some, turned;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 1, rank, &some);
    MPI_Comm_split(MPI_COMM_WORLD, 0, RANKS - rank, &turned);
    static const int counts[] = {11, 700, MOST - 2};
    for (int i = 0; i < 3; i++) {
        all_of(MPI_COMM_WORLD, counts[i]);
        all_of(some, counts[i]);
        all_of(turned, counts[i]);
    }
    MPI_Comm_free(&some);
    MPI_Comm_free(&turned);
    return mpi_finish();
}
