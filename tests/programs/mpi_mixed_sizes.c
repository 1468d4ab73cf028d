/* pc3-test: mpi ranks=6 */
/* Messages of one sender arrive in the order in which it sent them, whatever their sizes and the modes of their sends, also
   those that are unreceived at a checkpoint. */
#include "mpi_check.h"
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 120, RANKS = 6, WORDS = 20000 };

static int length(int from, int n)
{
    static const int some[] = {1, 1, 2, 1, 7, 1, 3, 40, 1, 2, 1, WORDS};
    return some[(unsigned)(from * 31 + n * 7 + n / 12) % 12];
}

static int receiver(int from, int n, int ranks)
{
    /* Several to one after the other. */
    return (from + 1 + (n / 9 + n * n % 3) % (ranks - 1)) % ranks;
}

static int buffers[MESSAGES][8];
static int large[MESSAGES / 4][WORDS];

static int wrong;

/* The next of `from`, of which `seen` came before. */
static void check_next(const int *data, int got, int from, int *seen, int me, int ranks)
{
    while (receiver(from, *seen, ranks) != me)
        ++*seen;
    if (data[0] != *seen || got != length(from, *seen) || data[got - 1] != *seen)
        wrong++;
    ++*seen;
}

static void round_of(int me, int ranks, int round)
{
    static int data[WORDS];
    MPI_Request requests[MESSAGES], early[4];
    int seen[RANKS] = {0}, count = 0, expected = 0, used = 0, first[4];
    for (int from = 0; from < ranks; from++)
        for (int n = 0; n < MESSAGES; n++)
            expected += from != me && receiver(from, n, ranks) == me;
    int next = (me + 1) % ranks;
    for (int i = 0; i < 4; i++) {
        first[i] = -1;
        if (round % 2)
            MPI_Irecv(&first[i], 1, MPI_INT, next, 99, MPI_COMM_WORLD, &early[i]);
    }
    for (int n = 0; n < MESSAGES; n++) {
        int to = receiver(me, n, ranks), words = length(me, n);
        int *out = words <= 8 ? buffers[n] : large[used++];
        for (int i = 0; i < words; i++)
            out[i] = n;
        if ((n + me + round) % 5 == 0)
            MPI_Issend(out, words, MPI_INT, to, round, MPI_COMM_WORLD, &requests[count++]);
        else if (words > 8 || n % 3)
            MPI_Isend(out, words, MPI_INT, to, round, MPI_COMM_WORLD, &requests[count++]);
        else
            MPI_Send(out, words, MPI_INT, to, round, MPI_COMM_WORLD);
    }
    int previous = (me + ranks - 1) % ranks;
    for (int i = 0; i < 4; i++)
        if (round % 2)
            MPI_Send(&i, 1, MPI_INT, previous, 99, MPI_COMM_WORLD);
#pragma pc3 checkpoint
    for (int n = 0; n < expected; n++) {
        MPI_Status status;
        int got;
        if (n % 4 == 0) {
            MPI_Probe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
            MPI_Recv(data, WORDS, MPI_INT, status.MPI_SOURCE, round, MPI_COMM_WORLD, &status);
        } else {
            MPI_Recv(data, WORDS, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
        }
        MPI_Get_count(&status, MPI_INT, &got);
        check_next(data, got, status.MPI_SOURCE, &seen[status.MPI_SOURCE], me, ranks);
        if (n == expected / 2) {
#pragma pc3 checkpoint
            wrong += 0;
        }
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    if (round % 2) {
        MPI_Waitall(4, early, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 4; i++)
            wrong += first[i] != i;
    }
}

int main(int argc, char **argv)
{
    int me, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 4; round++)
        round_of(me, ranks, round);
    show_all("wrong", wrong);
    return mpi_finish();
}
