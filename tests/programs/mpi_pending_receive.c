/* pc3-test: mpi ranks=4 */
/* Receives posted before a location and completed after it, in part by Test and Waitany; their
 * buffers on the stack, on the heap and in globals. */
#include "mpi_check.h"

static int global_buffer[4];

static void round_of(int step, int rank, int ranks)
{
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int local[3] = {-1, -1, -1};
    double *heap = malloc(5 * sizeof *heap);
    if (!heap)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 5; i++)
        heap[i] = 0;
    MPI_Request receive[3];
    MPI_Irecv(local, 3, MPI_INT, from, 1, MPI_COMM_WORLD, &receive[0]);
    MPI_Irecv(heap + 1, 3, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, &receive[1]);
    MPI_Irecv(global_buffer, 4, MPI_INT, to, 3, MPI_COMM_WORLD, &receive[2]);
#pragma pc3 checkpoint
    int first[3] = {rank, step, rank * step}, last[4] = {4, 3, step, rank};
    double middle[3] = {rank / 2.0, step / 4.0, 0.5};
    MPI_Send(first, 3, MPI_INT, to, 1, MPI_COMM_WORLD);
#pragma pc3 checkpoint
    MPI_Send(middle, 3, MPI_DOUBLE, to, 2, MPI_COMM_WORLD);
    MPI_Send(last, 4, MPI_INT, from, 3, MPI_COMM_WORLD);
#pragma pc3 checkpoint
    MPI_Status status;
    int done = 0, index, completed = 0;
    while (!done)
        MPI_Test(&receive[0], &done, &status);
    mix(status.MPI_SOURCE * 10 + status.MPI_TAG);
    for (int i = 0; i < 2; i++) {
        MPI_Waitany(3, receive, &index, &status);
        completed += index;
#pragma pc3 checkpoint
    }
    show_all("local", local[0] * 100 + local[1] * 10 + local[2]);
    show_all("heap", (int)(4 * (heap[0] + heap[1] + heap[2] + heap[3] + heap[4])));
    show_all("global", global_buffer[2] * 10 + global_buffer[3]);
    show_all("completed", completed + (receive[0] == MPI_REQUEST_NULL));
    free(heap);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < 4; step++)
        round_of(step, rank, ranks);
    return mpi_finish();
}
