/* pc3-test: mpi ranks=4 */
/* Messages that matched probes have taken out of the queue are in hand at locations, while their senders, who have locations too,
 * still wait for them to be received: synchronous ones, and long ones. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 2000, MOST = 30000 };

static int length(int round)
{
    return round % 11 == 3 ? MOST - round % 7 : 1 + round % 50;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int *out = malloc(MOST * sizeof(int)), *in = malloc(MOST * sizeof(int));
    unsigned sum = (unsigned)rank + 1;
    for (int round = 0; round < ROUNDS; round++) {
        int n = length(round);
        if ((round + rank) % 2) {
            MPI_Request request;
            for (int i = 0; i < n; i++)
                out[i] = (int)(sum % 1000003 * (unsigned)(i % 97 + 1) % 65521);
            if (round % 3)
                MPI_Issend(out, n, MPI_INT, to, 1, MPI_COMM_WORLD, &request);
            else
                MPI_Isend(out, n, MPI_INT, to, 1, MPI_COMM_WORLD, &request);
#pragma pc3 checkpoint
            sum = sum * 31 + (unsigned)round;
#pragma pc3 checkpoint
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Message message;
            MPI_Status status;
            int there = round % 5 != 0, got;
            if (there)
                MPI_Mprobe(from, 1, MPI_COMM_WORLD, &message, &status);
            while (!there) {
#pragma pc3 checkpoint
                MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &there, &message, &status);
            }
            for (int i = 0; i < 4; i++) {
#pragma pc3 checkpoint
                sum += sum >> 7;
            }
            MPI_Get_count(&status, MPI_INT, &got);
            if (got != n)
                MPI_Abort(MPI_COMM_WORLD, 2);
            if (round % 2) {
                MPI_Mrecv(in, got, MPI_INT, &message, MPI_STATUS_IGNORE);
            } else {
                MPI_Request request;
                MPI_Imrecv(in, got, MPI_INT, &message, &request);
#pragma pc3 checkpoint
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            for (int i = 0; i < got; i++)
                sum = sum * 31 + (unsigned)in[i];
        }
#pragma pc3 checkpoint
        sum ^= sum >> 13;
    }
    unsigned sums[16];
    MPI_Gather(&sum, 1, MPI_UNSIGNED, sums, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; i++)
        printf("rank %d: %u\n", i, sums[i]);
    MPI_Finalize();
    return 0;
}
