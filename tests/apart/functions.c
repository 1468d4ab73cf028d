/* pc3-test: mpi ranks=4 */
/* Non-blocking reductions by functions of the program's, which some members know the results of long before others look. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 1500, LATER = 4 };

static int calls;

static void chain(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const long *a = in;
    long *b = inout;
    (void)type;
    calls++;
    for (int i = 0; i < *n; i++)
        b[i] = (a[i] * 31 + b[i]) % 1000003;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Op_create(chain, 0, &op);
    MPI_Request later[LATER], steady;
    long give[LATER][2], sums[LATER][2], mine = rank, all = 0, x = rank;
    MPI_Allreduce_init(&mine, &all, 1, MPI_LONG, op, MPI_COMM_WORLD, MPI_INFO_NULL, &steady);
    for (int i = 0; i < LATER; i++)
        later[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < ROUNDS; i++) {
        int now = i % LATER;
        /* Even ranks look when the place is needed again, odd ones at once. */
        MPI_Wait(&later[now], MPI_STATUS_IGNORE);
        if (i >= LATER)
            x = (x * 7 + sums[now][1]) % 1000003;
        give[now][0] = i + rank;
        give[now][1] = i * 3 - rank;
        MPI_Iallreduce(give[now], sums[now], 2, MPI_LONG, op, MPI_COMM_WORLD, &later[now]);
#pragma pc3 checkpoint
        if (rank % 2)
            MPI_Wait(&later[now], MPI_STATUS_IGNORE);
        if (i % 10 == 0) {
            mine = i + rank;
            MPI_Start(&steady);
        }
#pragma pc3 checkpoint
        if (i % 10 == (rank % 2 ? 1 : 8)) {
            MPI_Wait(&steady, MPI_STATUS_IGNORE);
            x = (x + all) % 1000003;
        }
        if (i % 3 == 2)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Waitall(LATER, later, MPI_STATUSES_IGNORE);
    long xs[16];
    MPI_Gather(&x, 1, MPI_LONG, xs, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("%d %ld\n", r, xs[r]);
    MPI_Request_free(&steady);
    MPI_Op_free(&op);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
