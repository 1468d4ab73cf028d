/* pc3-test: mpi ranks=3 */
/* Functions that MPI calls come by a location: none is taken there, those around are. */
#include "mpi_check.h"

static int passed;

static void step(int by)
{
#pragma pc3 checkpoint
    passed += by;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    step(0);
}

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    step(*(int *)extra);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static int weight = 3;
    int rank, key;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &op);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, &weight);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &weight);
    for (int k = 0; k < 3; k++) {
        MPI_Comm other;
        int mine[2] = {rank + k, k}, all[2];
        step(1);
        MPI_Allreduce(mine, all, 2, MPI_INT, op, MPI_COMM_WORLD);
        step(1);
        MPI_Comm_dup(MPI_COMM_WORLD, &other);
        MPI_Comm_free(&other);
        show_all("sum", all[0] * 10 + all[1]);
        show_all("passed", passed);
    }
    MPI_Op_free(&op);
    MPI_Comm_free_keyval(&key);
    return mpi_finish();
}
