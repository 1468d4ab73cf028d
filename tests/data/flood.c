/* pc3-test: mpi ranks=2 */
/* Rank 0 sends far more than anybody should buffer, while rank 1 looks away for a while: the sender waits. Then the other
 * way round, in buffered mode, from an attached buffer with room for a part of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 4096, MANY = 100 * 1024, ROOM = 64 };

/* The most memory that this process has had, in MiB. */
static int most(void)
{
    char line[256];
    int kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %d", &kib);
    if (f)
        fclose(f);
    return kib / 1024;
}

static unsigned receive_all(int from)
{
    static char bytes[SIZE];
    unsigned sum = 0;
    for (int i = 0; i < MANY; i++) {
        MPI_Recv(bytes, SIZE, MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = sum * 31 + (unsigned char)bytes[i % SIZE];
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank;
    static char bytes[SIZE];
    unsigned sum = 0, expected = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int before = most();
    for (int i = 0; i < MANY; i++)
        expected = expected * 31 + (unsigned char)i;
    for (int turn = 0; turn < 2; turn++) {
        if (rank == turn) {
            size_t room = ROOM * (size_t)(SIZE + MPI_BSEND_OVERHEAD);
            char *attached = malloc(room);
            if (turn)
                MPI_Buffer_attach(attached, (int)room);
            for (int i = 0; i < MANY; i++) {
                memset(bytes, i, SIZE);
                if (turn && i % ROOM == 0) {
                    /* Waits until there is room again. */
                    MPI_Buffer_detach(&attached, &(int){0});
                    MPI_Buffer_attach(attached, (int)room);
                }
                (turn ? MPI_Bsend : MPI_Send)(bytes, SIZE, MPI_CHAR, 1 - turn, 1, MPI_COMM_WORLD);
            }
            if (turn)
                MPI_Buffer_detach(&attached, &(int){0});
            free(attached);
        } else {
            usleep(700 * 1000);
            sum = receive_all(turn);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    int grown = most() - before;
    printf("rank %d: %s, %s\n", rank, sum == expected ? "all of it" : "WRONG", grown < 200 ? "in bounds" : "BEYOND");
    if (grown >= 200)
        printf("%d MiB\n", grown);
    MPI_Finalize();
    return 0;
}
