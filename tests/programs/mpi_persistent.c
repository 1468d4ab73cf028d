/* pc3-test: mpi ranks=4 */
/* Persistent requests that live across locations: inactive, active, with empty neighbours. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    double *u = calloc(8, sizeof *u);
    if (!u)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Request requests[4], pair[2];
    MPI_Status statuses[4];
    MPI_Recv_init(&u[0], 1, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&u[7], 1, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(&u[6], 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(&u[1], 1, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[3]);
    int token = rank, seen = -1;
    MPI_Recv_init(&seen, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &pair[0]);
    MPI_Ssend_init(&token, 1, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &pair[1]);
    for (int i = 1; i < 7; i++)
        u[i] = rank * 6 + i;
#pragma pc3 checkpoint
    for (int step = 0; step < 6; step++) {
        MPI_Startall(4, requests);
#pragma pc3 checkpoint
        MPI_Waitall(4, requests, statuses);
        double left = u[0];
        for (int i = 1; i < 7; i++) {
            double here = u[i];
            u[i] = here + (left - 2 * here + u[i + 1]) / 4;
            left = here;
        }
#pragma pc3 checkpoint
        MPI_Start(&pair[0]);
#pragma pc3 checkpoint
        MPI_Start(&pair[1]);
        MPI_Wait(&pair[1], &statuses[0]);
        MPI_Wait(&pair[0], &statuses[0]);
        token = seen;
        show_all("edge", (int)(u[6] * 64));
        show_all("token", token);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&pair[i]);
    free(u);
    return mpi_finish();
}
