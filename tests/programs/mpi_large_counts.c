/* pc3-test: mpi ranks=3 */
/* Forms with large counts: an operation, and how datatypes were made, asked for before and after locations. */
#include "mpi_check.h"

static void twice_left(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    (void)type;
    const int *left = in;
    int *right = inout;
    for (MPI_Count i = 0; i < *count; i++)
        right[i] = (2 * left[i] + right[i]) % 10007;
}

/* What a datatype was made of, mixed. */
static int contents(MPI_Datatype type)
{
    MPI_Count nints, naddrs, ncounts, ntypes;
    int combiner, ints[16], all;
    MPI_Aint addrs[16];
    MPI_Count counts[16];
    MPI_Datatype types[4];
    MPI_Type_get_envelope_c(type, &nints, &naddrs, &ncounts, &ntypes, &combiner);
    MPI_Type_get_contents_c(type, 16, 16, 16, 4, ints, addrs, counts, types);
    all = (int)(nints * 1000 + naddrs * 100 + ncounts * 10 + ntypes);
    for (int i = 0; i < nints; i++)
        all = (all * 31 + ints[i]) % 1000003;
    for (int i = 0; i < naddrs; i++)
        all = (all * 31 + (int)addrs[i]) % 1000003;
    for (int i = 0; i < ncounts; i++)
        all = (all * 31 + (int)counts[i]) % 1000003;
    for (int i = 0; i < ntypes; i++)
        all = (all * 31 + (types[i] == MPI_INT)) % 1000003;
    return all;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op op;
    MPI_Op_create_c(twice_left, 0, &op);
    const MPI_Count sizes[2] = {6, 4}, parts[2] = {2, 3}, starts[2] = {1, 0}, lens[2] = {2, 1}, displs[2] = {8, 0};
    MPI_Datatype made[5];
    MPI_Type_vector_c(3, 2, 5, MPI_INT, &made[0]);
    MPI_Type_create_hindexed_c(2, lens, displs, MPI_INT, &made[1]);
    MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &made[2]);
    MPI_Type_create_resized_c(MPI_INT, -4, 24, &made[3]);
    /* Not made with large counts, so nothing of it is one. */
    MPI_Type_create_hvector(2, 3, 40, MPI_INT, &made[4]);
    for (int step = 0; step < 3; step++) {
#pragma pc3 checkpoint
        for (int i = 0; i < 5; i++)
            show_all("contents", contents(made[i]));
        int mine[2] = {rank + step, 3 * rank + 1}, all[2];
        MPI_Allreduce(mine, all, 2, MPI_INT, op, MPI_COMM_WORLD);
        show_all("combined", all[0] * 100 + all[1]);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int n, combiner;
        show_all("refused", MPI_Type_get_envelope(made[step], &n, &n, &n, &combiner) == MPI_ERR_TYPE);
        MPI_Type_get_envelope(made[4], &n, &n, &n, &combiner);
        show_all("combiner", combiner == MPI_COMBINER_HVECTOR);
    }
    for (int i = 0; i < 5; i++)
        MPI_Type_free(&made[i]);
    MPI_Op_free(&op);
    return mpi_finish();
}
