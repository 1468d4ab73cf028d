/* pc3-test: mpi ranks=4 */
/* Messages of all lengths, up to some hundred KiB and out of every second place of what they are sent from, that are started
 * well before they are received, by some ranks far ahead of others; synchronous ones among them, and long collectives that
 * stay pending across locations.  Each rank waits for its own messages only. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 900, MOST = 40000, WINDOW = 3, SHARED = 3000 };

static int length(int round, int from)
{
    unsigned h = (unsigned)round * 2654435761u ^ (unsigned)from * 40503u;
    h ^= h >> 15;
    return 1 + (int)(h % 7 == 0 ? h % MOST : h % 600);
}

static unsigned step(unsigned sum, const int *data, int n)
{
    for (int i = 0; i < n; i++)
        sum = sum * 31 + (unsigned)data[i];
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int *out[WINDOW], *in[WINDOW];
    for (int i = 0; i < WINDOW; i++) {
        out[i] = malloc(2 * MOST * sizeof(int));
        in[i] = malloc(MOST * sizeof(int));
        if (!out[i] || !in[i])
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Request sends[WINDOW], receives[WINDOW], all = MPI_REQUEST_NULL;
    for (int i = 0; i < WINDOW; i++)
        sends[i] = receives[i] = MPI_REQUEST_NULL;
    static int mine[SHARED], common[SHARED];
    unsigned sum = (unsigned)rank + 1;
    for (int round = 0; round < ROUNDS + WINDOW; round++) {
        int place = round % WINDOW;
        if (round >= WINDOW) {
            int n;
            MPI_Status status;
            MPI_Wait(&receives[place], &status);
            MPI_Get_count(&status, MPI_INT, &n);
            if (n != length(round - WINDOW, from))
                MPI_Abort(MPI_COMM_WORLD, 2);
            sum = step(sum, in[place], n);
            MPI_Wait(&sends[place], MPI_STATUS_IGNORE);
        }
#pragma pc3 checkpoint
        if (round < ROUNDS) {
            int n = length(round, rank);
            MPI_Irecv(in[place], MOST, MPI_INT, from, round % 5, MPI_COMM_WORLD, &receives[place]);
            for (int i = 0; i < 2 * n; i++)
                out[place][i] = (int)(sum % 1000003 * (unsigned)(i % 97 + 1) % 65521);
#pragma pc3 checkpoint
            if (round % 4 == 0) {
                MPI_Datatype every_second;
                MPI_Type_vector(n, 1, 2, MPI_INT, &every_second);
                MPI_Type_commit(&every_second);
                MPI_Isend(out[place], 1, every_second, to, round % 5, MPI_COMM_WORLD, &sends[place]);
                MPI_Type_free(&every_second);
            } else if (round % 4 == 1) {
                MPI_Issend(out[place], n, MPI_INT, to, round % 5, MPI_COMM_WORLD, &sends[place]);
            } else {
                MPI_Isend(out[place], n, MPI_INT, to, round % 5, MPI_COMM_WORLD, &sends[place]);
            }
        }
        if (round % 20 == 7 + rank) {
            /* Ranks start it in rounds of their own. */
            for (int i = 0; i < SHARED; i++)
                mine[i] = (int)(sum % 1009) + i * rank;
            MPI_Iallreduce(mine, common, SHARED, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &all);
        }
#pragma pc3 checkpoint
        if (round % 20 == 15) {
            MPI_Wait(&all, MPI_STATUS_IGNORE);
            sum = step(sum, common, SHARED);
        }
    }
    unsigned sums[16];
    MPI_Gather(&sum, 1, MPI_UNSIGNED, sums, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; i++)
        printf("rank %d: %u\n", i, sums[i]);
    MPI_Finalize();
    return 0;
}
