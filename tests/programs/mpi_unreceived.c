/* pc3-test: mpi ranks=4 */
/* Messages that have been sent but not received when a location is reached: several in order,
 * of several tags, types and sizes, found by probes later. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) {
            int numbers[4] = {rank, round, i, 7};
            MPI_Send(numbers, i, MPI_INT, to, 5, MPI_COMM_WORLD);
#pragma pc3 checkpoint
        }
        double real = rank + round / 8.0;
        MPI_Request request;
        MPI_Isend(&real, 1, MPI_DOUBLE, to, 6, MPI_COMM_WORLD, &request);
        MPI_Send("text of a message", 18, MPI_CHAR, from, 7, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_INT, rank, 8, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
        char text[20] = "";
        double other = 0;
        MPI_Status status;
        MPI_Recv(text, 20, MPI_CHAR, to, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        int length;
        MPI_Get_count(&status, MPI_CHAR, &length);
        show_all("text", length * 10 + status.MPI_TAG + (strcmp(text, "text of a message") == 0));
#pragma pc3 checkpoint
        MPI_Recv(&other, 1, MPI_DOUBLE, from, 6, MPI_COMM_WORLD, &status);
        show_all("real", (int)(other * 8));
        for (int i = 0; i < 4; i++) {
            int numbers[4] = {0, 0, 0, 0}, count;
            MPI_Probe(from, 5, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
#pragma pc3 checkpoint
            MPI_Recv(numbers, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
            show_all("numbers", count * 1000 + numbers[0] * 100 + numbers[1] * 10 + numbers[2]);
        }
        MPI_Recv(NULL, 0, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, &status);
    }
    return mpi_finish();
}
