/* pc3-test: mpi ranks=5 */
/* Collectives of blocks of many pages, of plain and of strided types, in place and not, at changing roots. */
#include "mpi_check.h"

enum { BLOCK = 15000, MOST = 8 };

static int out[MOST * BLOCK], in[MOST * BLOCK];

static void fill(int rank, int step)
{
    for (int i = 0; i < MOST * BLOCK; i++) {
        out[i] = (rank + 1) * 1000003 + step * 7919 + i * 13;
        in[i] = -i;
    }
}

static int digest(const int *values, int count)
{
    unsigned sum = (unsigned)count;
    for (int i = 0; i < count; i += 7)
        sum = sum * 31 + (unsigned)values[i];
    return (int)(sum >> 4);
}

/* Every third element of a block, three times as far apart as they are wide. */
static MPI_Datatype strided(void)
{
    MPI_Datatype type;
    MPI_Type_vector(BLOCK / 3, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void twice(void *from, void *to, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((unsigned *)to)[i] = ((unsigned *)from)[i] * 2 + ((unsigned *)to)[i] * 3;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Op op;
    MPI_Op_create(twice, 0, &op);
    for (int step = 0; step < 2; step++) {
        int root = (step * 3 + 1) % ranks, all = ranks * BLOCK;
        fill(rank, step);
        MPI_Bcast(out, BLOCK, MPI_INT, root, MPI_COMM_WORLD);
        show_all("bcast", digest(out, MOST * BLOCK));
#pragma pc3 checkpoint
        fill(rank, step);
        MPI_Datatype type = strided();
        if (rank % 2)
            MPI_Bcast(out, 1, type, root, MPI_COMM_WORLD);
        else
            MPI_Bcast(out, BLOCK / 3, MPI_INT, root, MPI_COMM_WORLD);
        show_all("strided bcast", digest(out, BLOCK));
        MPI_Allgather(out, BLOCK / 3, MPI_INT, in, 1, type, MPI_COMM_WORLD);
        show_all("strided allgather", digest(in, all));
        MPI_Type_free(&type);
#pragma pc3 checkpoint
        fill(rank, step);
        MPI_Allgather(out, BLOCK, MPI_INT, in, BLOCK, MPI_INT, MPI_COMM_WORLD);
        show_all("allgather", digest(in, all));
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, out, BLOCK, MPI_INT, MPI_COMM_WORLD);
        show_all("allgather in place", digest(out, all));
#pragma pc3 checkpoint
        fill(rank, step);
        MPI_Alltoall(out, BLOCK, MPI_INT, in, BLOCK, MPI_INT, MPI_COMM_WORLD);
        show_all("alltoall", digest(in, all));
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out, BLOCK, MPI_INT, MPI_COMM_WORLD);
        show_all("alltoall in place", digest(out, all));
#pragma pc3 checkpoint
        fill(rank, step);
        MPI_Gather(out, BLOCK, MPI_INT, in, BLOCK, MPI_INT, root, MPI_COMM_WORLD);
        show_all("gather", digest(in, all));
        MPI_Scatter(in, BLOCK, MPI_INT, rank == root ? MPI_IN_PLACE : out, BLOCK, MPI_INT, root, MPI_COMM_WORLD);
        show_all("scatter", digest(out, all));
#pragma pc3 checkpoint
        fill(rank, step);
        MPI_Allreduce(out, in, BLOCK, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
        show_all("allreduce", digest(in, BLOCK));
        MPI_Allreduce(MPI_IN_PLACE, out, BLOCK, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        show_all("allreduce in place", digest(out, BLOCK));
        fill(rank, step);
        MPI_Allreduce(out, in, BLOCK, MPI_INT, op, MPI_COMM_WORLD);
        show_all("allreduce by a function", digest(in, BLOCK));
        MPI_Reduce(rank == root ? MPI_IN_PLACE : out, out, BLOCK, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
        show_all("reduce", digest(out, BLOCK));
        MPI_Reduce_scatter_block(out, in, BLOCK, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        show_all("reduce_scatter", digest(in, BLOCK));
        MPI_Scan(MPI_IN_PLACE, out, BLOCK, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        show_all("scan", digest(out, BLOCK));
#pragma pc3 checkpoint
        /* Two sizes of what is to be the same: neither waits for the other for ever. */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int class = 0, error = MPI_Bcast(out, rank == root ? BLOCK + 1 : BLOCK, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Error_class(error, &class);
        show_all("too long", class == MPI_ERR_TRUNCATE);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    }
    MPI_Op_free(&op);
    return mpi_finish();
}
