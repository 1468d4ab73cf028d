/* pc3-test: mpi ranks=4 */
/* Send modes: buffered (with an attached buffer that outlives locations), synchronous, ready;
 * replaced buffers; null processes. */
#include "mpi_check.h"

enum { COUNT = 8 };

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int size = 4 * (COUNT * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    void *buffer = malloc((size_t)size); /* of no type */
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(buffer, 0, (size_t)size);
    MPI_Buffer_attach(buffer, size);
#pragma pc3 checkpoint
    for (int step = 0; step < 4; step++) {
        int out[COUNT], in[COUNT] = {0}, second[COUNT] = {0};
        for (int i = 0; i < COUNT; i++)
            out[i] = rank * 1000 + step * 100 + i;
        MPI_Bsend(out, COUNT, MPI_INT, to, 1, MPI_COMM_WORLD);
        MPI_Bsend(out, COUNT / 2, MPI_INT, from, 2, MPI_COMM_WORLD);
        for (int i = 0; i < COUNT; i++)
            out[i] = -1; /* the buffered messages must not see this */
#pragma pc3 checkpoint
        MPI_Recv(in, COUNT, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        MPI_Recv(second, COUNT, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("buffered", in[7] * 10 + second[3] + second[4]);

        MPI_Request ready, synchronous;
        MPI_Irecv(second, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &ready);
        MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
        MPI_Rsend(&rank, 1, MPI_INT, from, 3, MPI_COMM_WORLD);
        MPI_Issend(in, 2, MPI_INT, to, 4, MPI_COMM_WORLD, &synchronous);
#pragma pc3 checkpoint
        int pair[2];
        MPI_Recv(pair, 2, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&synchronous, MPI_STATUS_IGNORE);
        MPI_Wait(&ready, MPI_STATUS_IGNORE);
        show_all("ready", second[0] * 10000 + pair[1]);
        MPI_Sendrecv_replace(pair, 2, MPI_INT, to, 5, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("replaced", pair[0]);
        MPI_Status status;
        MPI_Recv(pair, 2, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &status);
        MPI_Send(pair, 2, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
        show_all("null", pair[0] + (status.MPI_SOURCE == MPI_PROC_NULL));
    }
    void *detached;
    MPI_Buffer_detach(&detached, &size);
    show_all("detached", detached == buffer);
    free(buffer);
    return mpi_finish();
}
