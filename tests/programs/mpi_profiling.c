/* pc3-test: mpi ranks=3 */
/* The profiling interface: the program's own MPI_Send, MPI_Allreduce and MPI_Wtime stand before the library's; the library does
 * not call them; the tool interface has no variables. */
#include "mpi_check.h"

static int sends, bytes, reductions;
/* Of what lies on the stack, the function below could not tell what it is. */
static double product;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    int size;
    sends++;
    PMPI_Type_size(type, &size);
    bytes += count * size + (type == MPI_BYTE) * 1000;
    return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    reductions++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

double MPI_Wtime(void)
{
    return -1.0;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    PMPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
#pragma pc3 checkpoint
    for (int step = 0; step < 4; step++) {
        double v[3] = {rank, step, rank * step}, sum[3];
        int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
        MPI_Send(v, 1 + step % 3, MPI_DOUBLE, to, step, MPI_COMM_WORLD);
#pragma pc3 checkpoint
        MPI_Recv(sum, 3, MPI_DOUBLE, from, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        product = v[2];
        MPI_Send(&product, sizeof product, MPI_BYTE, to, 20, MPI_COMM_WORLD);
#pragma pc3 checkpoint
        MPI_Recv(sum, sizeof(double), MPI_BYTE, from, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mix((int)sum[0]);
        MPI_Sendrecv_replace(v, 1, MPI_DOUBLE, to, 9, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(v, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma pc3 checkpoint
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_free(&copy);
        show_all("sum", (int)sum[2] + sends + bytes + reductions);
    }
    int number = 7, index, provided;
    MPI_T_pvar_session session;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
#pragma pc3 checkpoint
    MPI_T_cvar_get_num(&number);
    show_all("tool", number + (MPI_T_cvar_get_index("none", &index) == MPI_T_ERR_INVALID_NAME));
    MPI_T_pvar_session_free(&session);
    show_all("closed", session == MPI_T_PVAR_SESSION_NULL);
    MPI_T_finalize();
    show_all("counted", sends * 100 + reductions * 10 + (int)MPI_Wtime());
    return mpi_finish();
}
