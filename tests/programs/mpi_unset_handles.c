/* pc3-test: mpi ranks=4 */
/* Structures on the heap whose handles are partly unset: what lies there is no object of MPI's. */
#include "mpi_check.h"

struct plan {
    MPI_Datatype types[3];
    MPI_Request requests[2];
    int count;
    MPI_Comm comm;
};

static struct plan *make(int count)
{
    struct plan *p = malloc(sizeof *p);
    if (!p)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(p, 0xb5, sizeof *p);
    p->count = count;
    p->comm = MPI_COMM_WORLD;
    MPI_Type_contiguous(count, MPI_INT, &p->types[1]);
    MPI_Type_commit(&p->types[1]);
    p->requests[0] = MPI_REQUEST_NULL;
    return p;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 1; round < 5; round++) {
        struct plan *p = make(round);
        int out[4], in[4] = {0};
        for (int i = 0; i < 4; i++)
            out[i] = rank * 10 + i + round;
#pragma pc3 checkpoint
        MPI_Irecv(in, 1, p->types[1], (rank + ranks - 1) % ranks, 7, p->comm, &p->requests[0]);
#pragma pc3 checkpoint
        MPI_Send(out, 1, p->types[1], (rank + 1) % ranks, 7, p->comm);
        MPI_Wait(&p->requests[0], MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        show_all("sum", in[0] + in[1] * 3 + in[2] * 5 + in[3] * 7);
        MPI_Type_free(&p->types[1]);
        free(p);
    }
    return mpi_finish();
}
