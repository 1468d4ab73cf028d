/* pc3-test: mpi ranks=4 */
/* Odd ranks look at a message by probes, pass a location, and look again, before they receive it: what has been seen is to be
 * there until it is received, and in its order.  Even ranks, which send, pass locations in front of that, and may be saved long
 * before the others. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 3000, LONG = 20000 };

static unsigned mix(unsigned h, unsigned x)
{
    return (h ^ x) * 16777619u + 1;
}

/* Two messages; the second one is short or long, and sent in one mode or another. */
static unsigned send(int to, int round, int *content)
{
    MPI_Request request;
    int length = round % 5 ? 1 + round % 3 : LONG, size, ack;
    content[0] = round;
    MPI_Send(content, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    content[0] = round * 3;
    switch (round % 4) {
    case 0:
        MPI_Send(content, length, MPI_INT, to, 2, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Issend(content, length, MPI_INT, to, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Isend(content, length, MPI_INT, to, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    default:
        size = (int)sizeof(int) * length + MPI_BSEND_OVERHEAD;
        char *room = malloc((size_t)size);
        MPI_Buffer_attach(room, size);
        MPI_Bsend(content, length, MPI_INT, to, 2, MPI_COMM_WORLD);
        MPI_Buffer_detach(&room, &size);
        free(room);
    }
    MPI_Recv(&ack, 1, MPI_INT, to, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (unsigned)ack;
}

static unsigned receive(int from, int *content, unsigned *missed)
{
    MPI_Status status, next;
    int seen = 0, length = 0, again = 0;
    while (!seen)
        MPI_Iprobe(from, 2, MPI_COMM_WORLD, &seen, &status);
#pragma pc3 checkpoint
    MPI_Iprobe(from, 2, MPI_COMM_WORLD, &again, &next);
    *missed += !again;
    MPI_Get_count(&status, MPI_INT, &length);
    MPI_Recv(content, LONG, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD, &next);
    unsigned h = mix((unsigned)next.MPI_TAG, (unsigned)content[0]);
    MPI_Recv(content, length, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD, &next);
    h = mix(mix(h, (unsigned)next.MPI_TAG), (unsigned)content[0]);
    int ack = (int)(mix(h, (unsigned)length) >> 1);
    MPI_Send(&ack, 1, MPI_INT, from, 3, MPI_COMM_WORLD);
    return h;
}

int main(int argc, char **argv)
{
    int rank;
    unsigned all[2], mine[2] = {1, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *content = calloc(LONG, sizeof *content);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; rank % 2 == 0 && i < 3; i++) {
#pragma pc3 checkpoint
            for (int k = 0; k < 20000; k++)
                mine[0] = mix(mine[0], (unsigned)(i + k));
        }
        unsigned got = rank % 2 ? receive(rank - 1, content, &mine[1]) : send(rank + 1, round, content);
        mine[0] = mix(mine[0], got);
        if (round % 500 == 499) {
            MPI_Reduce(mine, all, 2, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
            if (rank == 0)
                printf("round %d: %08x, missed %u\n", round, all[0], all[1]);
        }
    }
    free(content);
    MPI_Finalize();
    return 0;
}
