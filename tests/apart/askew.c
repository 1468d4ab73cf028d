/* pc3-test: mpi ranks=4 */
/* Locations and collectives never line up: odd ranks have theirs between the second collective of a round and the first of the
 * next, even ones between the first and the second.  Whatever their local checkpoints are, one collective lies across them. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 4000 };

static unsigned mix(unsigned h, unsigned x)
{
    return (h ^ x) * 16777619u + 1;
}

static void place(int here, unsigned *h)
{
    if (here) {
#pragma pc3 checkpoint
        *h = mix(*h, 7);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    unsigned h, sum = 0, word, parts[4], given[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    h = 2166136261u + rank;
    for (int round = 0; round < ROUNDS; round++) {
        place(rank % 2 == 1, &h);
        MPI_Allreduce(&h, &sum, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
        h = mix(h, sum);
        place(rank % 2 == 0, &h);
        if (round % 2) {
            for (int r = 0; r < size; r++)
                parts[r] = mix(h, r);
            MPI_Alltoall(parts, 1, MPI_UNSIGNED, given, 1, MPI_UNSIGNED, MPI_COMM_WORLD);
            for (int r = 0; r < size; r++)
                h = mix(h, given[r]);
        } else {
            word = h;
            MPI_Bcast(&word, 1, MPI_UNSIGNED, round / 2 % size, MPI_COMM_WORLD);
            h = mix(h, word);
        }
    }
    MPI_Allreduce(&h, &sum, 1, MPI_UNSIGNED, MPI_BXOR, MPI_COMM_WORLD);
    if (rank == 0)
        printf("all %08x\n", sum);
    MPI_Finalize();
    return 0;
}
