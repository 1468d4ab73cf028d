/* pc3-test: mpi ranks=4 */
/* Partitioned messages round a ring, in parts of other sizes at both ends; with locations while some parts are ready. */
#include "mpi_check.h"

enum { parts = 6, each = 4, all = parts * each };

int main(int argc, char **argv)
{
    int rank, ranks, flag;
    long out[all], in[all], sum = 0;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Psend_init(out, parts, each, MPI_LONG, next, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, all / 2, MPI_LONG, last, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
#pragma pc3 checkpoint
    for (int step = 0; step < 3; step++) {
        memset(in, 0, sizeof in);
        MPI_Startall(2, requests);
        for (int i = 0; i < all; i++)
            out[i] = rank * 1000 + step * 100 + i;
        MPI_Pready(3, requests[0]);
#pragma pc3 checkpoint
        int some[2] = {5, 0};
        MPI_Pready_list(2, some, requests[0]);
        MPI_Parrived(requests[1], 1, &flag);
        /* An ordinary message of the same tag is another one. */
        long here = rank, there;
        MPI_Sendrecv(&here, 1, MPI_LONG, next, 7, &there, 1, MPI_LONG, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        MPI_Pready_range(1, 2, requests[0]);
        MPI_Pready(4, requests[0]);
        do
            MPI_Parrived(requests[1], 0, &flag);
        while (!flag);
#pragma pc3 checkpoint
        MPI_Waitall(2, requests, statuses);
        for (int i = 0; i < all; i++)
            sum = sum * 3 % 100003 + in[i];
        MPI_Get_count(&statuses[1], MPI_LONG, &flag);
        show_all("got", flag * 100 + statuses[1].MPI_SOURCE * 10 + (int)there);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    show_all("sum", (int)sum);
    return mpi_finish();
}
