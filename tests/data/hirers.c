/* pc3-test: mpi ranks=12 */
/* Each rank spawns helpers by itself, and nobody knows of the others': so somebody may spawn one when others have heard that a
 * checkpoint is nearly there, and he has not. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 40, WORK = 1, RESULT = 2 };

static unsigned mix(unsigned h, unsigned x)
{
    return (h ^ x) * 16777619u + 1;
}

static unsigned work(unsigned h, int how)
{
    for (int i = 0; i < 300 * (1 + how % 5); i++)
        h = mix(h, i);
    return h;
}

static void place(int here)
{
    if (here) {
#pragma pc3 checkpoint
        ;
    }
}

static void helper(MPI_Comm parent)
{
    unsigned h;
    MPI_Status status;
    MPI_Recv(&h, 1, MPI_UNSIGNED, 0, MPI_ANY_TAG, parent, &status);
    h = work(h, status.MPI_TAG);
    place(h % 3 == 0);
    MPI_Send(&h, 1, MPI_UNSIGNED, 0, RESULT, parent);
}

int main(int argc, char **argv)
{
    int rank, size;
    unsigned h, sum, given;
    MPI_Comm parent, kid;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        helper(parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    h = 2166136261u + rank;
    for (int round = 0; round < ROUNDS; round++) {
        int to = (rank + 1 + round) % size, from = (rank + size - (1 + round) % size) % size;
        h = work(h, round * 3 + rank * 7);
        place(1);
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &kid, MPI_ERRCODES_IGNORE);
        MPI_Send(&h, 1, MPI_UNSIGNED, 0, round, kid);
        place(rank % 2);
        MPI_Recv(&sum, 1, MPI_UNSIGNED, 0, RESULT, kid, MPI_STATUS_IGNORE);
        h = mix(h, sum);
        MPI_Comm_free(&kid);
        MPI_Sendrecv(&h, 1, MPI_UNSIGNED, to, WORK, &given, 1, MPI_UNSIGNED, from, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        h = mix(h, given);
    }
    MPI_Reduce(&h, &sum, 1, MPI_UNSIGNED, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("all %08x\n", sum);
    MPI_Finalize();
    return 0;
}
