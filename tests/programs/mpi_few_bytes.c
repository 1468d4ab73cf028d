/* pc3-test: mpi ranks=7 */
/* Collectives of a few bytes, whose calls agree or belong together all the same: other ways to say how long a
 * block is, some ranks only, ranks in another order, one communicator after the other without waiting. */
#include "mpi_check.h"

enum { RANKS = 7 };

static double value(int rank, int i)
{
    static const double scale[] = {1e16, 1, -1e16, 1e-3, 3e7};
    return scale[(rank * 3 + i) % 5] * (1 + rank * 0.37 + i * 0.011);
}

/* Of ranks[low] to ranks[high - 1]. */
static double tree(const int *ranks, int low, int high, int i)
{
    int half = 1;
    if (high - low == 1)
        return value(ranks[low], i);
    while (2 * half < high - low)
        half *= 2;
    return tree(ranks, low, low + half, i) + tree(ranks, low + half, high, i);
}

static void sums(MPI_Comm comm)
{
    int me, n, world, ranks[RANKS], bad = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    MPI_Allgather(&world, 1, MPI_INT, ranks, 1, MPI_INT, comm);
    for (int count = 0; count < 5; count++) {
        double out[5], in[5], to[5] = {0};
        for (int i = 0; i < count; i++)
            in[i] = out[i] = value(world, i);
        MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_DOUBLE, MPI_SUM, comm);
        MPI_Reduce(out, to, count, MPI_DOUBLE, MPI_SUM, count % n, comm);
        for (int i = 0; i < count; i++) {
            double sum = tree(ranks, 0, n, i), none = 0;
            bad += memcmp(&in[i], &sum, sizeof sum) != 0;
            bad += memcmp(&to[i], me == count % n ? &sum : &none, sizeof sum) != 0;
        }
    }
    show_all("sums", bad);
}

/* The odd ranks say in other words what the others say. */
static void words(MPI_Comm comm, int odd)
{
    int me, n, bad = 0;
    MPI_Datatype pair, sparse;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_vector(4, 1, 2, MPI_INT, &sparse);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&sparse);
    for (int root = 0; root < n; root++) {
        int data[8] = {0}, step = me % 2 == odd ? 1 : 2;
        if (me == root)
            for (int i = 0; i < 4; i++)
                data[i * step] = 100 * root + i;
        if (step == 1)
            MPI_Bcast(data, root % 2 ? 4 : 2, root % 2 ? MPI_INT : pair, root, comm);
        else
            MPI_Bcast(data, 1, sparse, root, comm);
        for (int i = 0; i < 4; i++)
            bad += data[i * step] != 100 * root + i;
    }
    int mine[2] = {me, -me}, least[2];
    MPI_Allreduce(mine, least, 2, MPI_INT, MPI_MIN, comm);
    bad += least[0] != 0 || least[1] != 1 - n;
    int out[2 * RANKS], in[2 * RANKS];
    for (int i = 0; i < 2 * n; i++)
        out[i] = 1000 * me + i;
    MPI_Alltoall(out, me % 2 == odd ? 2 : 1, me % 2 == odd ? MPI_INT : pair, in, 1, pair, comm);
    for (int i = 0; i < 2 * n; i++)
        bad += in[i] != 1000 * (i / 2) + 2 * me + i % 2;
    MPI_Type_free(&pair);
    MPI_Type_free(&sparse);
    show_all("words", bad);
}

/* Blocks of all lengths up to some that are no longer few bytes. */
static void blocks(MPI_Comm comm)
{
    enum { MOST = 40 };
    int me, n, bad = 0;
    unsigned char out[MOST * RANKS], in[MOST * RANKS], all[MOST];
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    for (int len = 0; len < MOST; len++) {
        for (int i = 0; i < len * n; i++)
            out[i] = (unsigned char)(me * 31 + i);
        memset(in, 0, sizeof in);
        MPI_Alltoall(out, len, MPI_BYTE, in, len, MPI_BYTE, comm);
        for (int i = 0; i < len * n; i++)
            bad += in[i] != (unsigned char)(i / len * 31 + me * len + i % len);
        MPI_Barrier(comm);
        memcpy(all, out, sizeof all);
        MPI_Bcast(all, len, MPI_BYTE, len % n, comm);
        for (int i = 0; i < len; i++)
            bad += all[i] != (unsigned char)(len % n * 31 + i);
    }
    show_all("blocks", bad);
}

int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Comm comms[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, 0, RANKS - rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 1, rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank * 5 % RANKS, &comms[3]);
    for (int i = 0; i < 4; i++) {
        sums(comms[i]);
#pragma pc3 checkpoint
        words(comms[i], 0);
        words(comms[i], 1);
        blocks(comms[i]);
    }
    /* Who is not a member of the first of these goes on to the next. */
    for (int i = 0; i < 60; i++) {
        int one = i + rank, all = 0, at = i % 3 + 1;
        MPI_Allreduce(&one, &all, 1, MPI_INT, i % 5 ? MPI_SUM : MPI_MAX, comms[at]);
        sum += all;
        if (i % 20 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    }
    show_all("all", sum);
    for (int i = 1; i < 4; i++)
        MPI_Comm_free(&comms[i]);
    return mpi_finish();
}
