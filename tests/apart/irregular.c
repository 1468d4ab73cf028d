/* pc3-test: mpi ranks=6 */
/* Every rank has other neighbours in every round, as meshes have that are refined: messages of lengths that only their
 * receivers' probes tell, synchronous and buffered ones, requests that are reported in any order, persistent ones that stay
 * started across locations.  Nobody waits for all before the end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2500, MOST = 40, RING = 30000 };

/* Does `from` send to `to` in this round?  How much? */
static int amount(int round, int from, int to)
{
    unsigned h = (unsigned)round * 2654435761u ^ (unsigned)(from * 41 + to) * 40503u;
    h ^= h >> 13;
    return from == to || h % 3 ? 0 : 1 + (int)(h / 3 % MOST);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long out[16][MOST], sum = rank + 1;
    long token[2] = {rank, 0}, came[2] = {0, 0};
    char *room = malloc(1 << 16);
    if (!room)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Buffer_attach(room, 1 << 16);
    MPI_Request ring[2];
    MPI_Send_init(token, 2, MPI_LONG, (rank + 1) % ranks, RING, MPI_COMM_WORLD, &ring[0]);
    MPI_Recv_init(came, 2, MPI_LONG, (rank + ranks - 1) % ranks, RING, MPI_COMM_WORLD, &ring[1]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request sends[16];
        int expected = 0;
        MPI_Startall(2, ring);
#pragma pc3 checkpoint
        for (int to = 0; to < ranks; to++) {
            int n = amount(round, rank, to);
            sends[to] = MPI_REQUEST_NULL;
            for (int i = 0; i < n; i++)
                out[to][i] = sum * (i + 1) % 100003 + to;
            if (n > 0 && (round + to) % 5 == 0)
                MPI_Issend(out[to], n, MPI_LONG, to, round, MPI_COMM_WORLD, &sends[to]);
            else if (n > 0 && (round + to) % 5 == 1)
                MPI_Bsend(out[to], n, MPI_LONG, to, round, MPI_COMM_WORLD);
            else if (n > 0)
                MPI_Isend(out[to], n, MPI_LONG, to, round, MPI_COMM_WORLD, &sends[to]);
            expected += amount(round, to, rank) > 0;
        }
        long got = 0;
        while (expected-- > 0) {
            MPI_Status status;
            MPI_Message message;
            long in[MOST];
            int n, there = 0;
            memset(in, 0, sizeof in);
            if ((round + expected) % 4 == 0) {
                MPI_Mprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &message, &status);
                MPI_Get_count(&status, MPI_LONG, &n);
                MPI_Mrecv(in, n, MPI_LONG, &message, MPI_STATUS_IGNORE);
            } else {
                if ((round + expected) % 4 == 1)
                    MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &there, &status);
                if (!there)
                    MPI_Probe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
                MPI_Get_count(&status, MPI_LONG, &n);
                MPI_Recv(in, n, MPI_LONG, status.MPI_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            if (n != amount(round, status.MPI_SOURCE, rank))
                MPI_Abort(MPI_COMM_WORLD, 4);
            for (int i = 0; i < n; i++)
                got += in[i] * (status.MPI_SOURCE + 2);
#pragma pc3 checkpoint
        }
        for (int left = ranks; left > 0;) {
            int index[16], n;
            if (left % 2) {
                MPI_Waitany(ranks, sends, &index[0], MPI_STATUS_IGNORE);
                n = index[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
            } else {
                MPI_Testsome(ranks, sends, &n, index, MPI_STATUSES_IGNORE);
            }
            if (n == MPI_UNDEFINED)
                break;
            left -= n > 0 ? n : 1;
        }
        MPI_Waitall(ranks, sends, MPI_STATUSES_IGNORE);
        MPI_Waitall(2, ring, MPI_STATUSES_IGNORE);
        sum = (sum * 7 + got + came[0] * 3) % 1000003;
        token[0] = (came[0] + rank) % 1009;
        token[1] = round;
    }
    MPI_Request_free(&ring[0]);
    MPI_Request_free(&ring[1]);
    int size;
    MPI_Buffer_detach(&room, &size);
    free(room);
    long all[16];
    MPI_Gather(&sum, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("%d %ld\n", r, all[r]);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
