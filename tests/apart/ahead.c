/* pc3-test: mpi ranks=4 */
/* A pipeline whose first rank runs far ahead of the others: what it sends behind its checkpoint may be received before
 * theirs, and what they have not received at theirs is from before its own.  How often a rank tests in vain is up to the
 * system, and goes into what it sends; what all of them make of that must fit together. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 40000, DEPTH = 8 };

struct item {
    int value;
    unsigned tests;
};

static unsigned long long join(unsigned long long sum, struct item item)
{
    return (sum ^ (unsigned)item.value) * 1099511628211ull + item.tests;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    /* Of what was received and sent, by the sums that the other side must have. */
    unsigned long long taken = 0, given = 0, values = 0;
    struct item slots[DEPTH];
    MPI_Request out[DEPTH];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < DEPTH; i++)
        out[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < ITEMS; i++) {
        struct item item = {i * 3 + 1, 0};
        if (rank > 0) {
            MPI_Request in;
            int done = 0, tests = 0;
            MPI_Irecv(&item, 2, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, &in);
            while (!done && tests++ < 3)
                MPI_Test(&in, &done, MPI_STATUS_IGNORE);
            if (!done) {
#pragma pc3 checkpoint
                MPI_Wait(&in, MPI_STATUS_IGNORE);
            }
            taken = join(taken, item);
            values = values * 31 + (unsigned)item.value;
            item.tests = (unsigned)tests;
            item.value = item.value * 5 + rank;
        }
        if (rank < ranks - 1) {
            int slot = i % DEPTH;
            MPI_Wait(&out[slot], MPI_STATUS_IGNORE);
            slots[slot] = item;
            given = join(given, item);
            MPI_Isend(&slots[slot], 2, MPI_INT, rank + 1, 7, MPI_COMM_WORLD, &out[slot]);
        }
        if (i % (3 * rank + 2) == 0) {
#pragma pc3 checkpoint
        }
    }
    MPI_Waitall(DEPTH, out, MPI_STATUSES_IGNORE);
    unsigned long long mine[3] = {taken, given, values}, all[48];
    MPI_Gather(mine, 3, MPI_UNSIGNED_LONG_LONG, all, 3, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 1; r < ranks; r++)
            printf("%d %s %llx\n", r, all[3 * r] == all[3 * r - 2] ? "fits" : "differs", all[3 * r + 2]);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
