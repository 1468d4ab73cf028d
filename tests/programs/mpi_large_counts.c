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

/* Messages that were matched before, by way of Fortran's statuses; a communicator that comes and goes. */
static void matched(int rank, int step)
{
    int ranks, mine[2] = {rank, step}, got[2] = {0, 0}, both[2], fortran[MPI_F_STATUS_SIZE];
    MPI_Comm comm;
    MPI_Message message;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_F08_status newer;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Isend_c(mine, 2, MPI_INT, (rank + 1) % ranks, 5, comm, &requests[0]);
    MPI_Mprobe(MPI_ANY_SOURCE, 5, comm, &message, &status);
    if (step % 2) {
        MPI_Imrecv_c(got, 2, MPI_INT, &message, &requests[1]);
#pragma pc3 checkpoint
        MPI_Wait(&requests[1], &status);
    } else {
#pragma pc3 checkpoint
        MPI_Mrecv_c(got, 2, MPI_INT, &message, &status);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    show_all("matched", got[0] * 10 + got[1]);
    MPI_Status_c2f(&status, fortran);
    MPI_Status_f2f08(fortran, &newer);
    MPI_Status_f082f(&newer, fortran);
    MPI_Status_f2c(fortran, &status);
    MPI_Status_c2f08(&status, &newer);
    MPI_Status_f082c(&newer, &status);
    MPI_Count count;
    MPI_Get_count_c(&status, MPI_INT, &count);
    show_all("status", status.MPI_SOURCE * 100 + fortran[MPI_F_TAG] * 10 + (int)count);
    both[0] = 7, both[1] = 8;
    MPI_Reduce_local_c(got, both, 2, MPI_INT, MPI_SUM);
    show_all("here", both[0] * 100 + both[1]);
    MPI_Comm_disconnect(&comm);
    MPI_Comm_get_parent(&comm);
    show_all("gone", comm == MPI_COMM_NULL);
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
        matched(rank, step);
    }
    for (int i = 0; i < 5; i++)
        MPI_Type_free(&made[i]);
    MPI_Op_free(&op);
    return mpi_finish();
}
