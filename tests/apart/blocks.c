/* pc3-test: mpi ranks=5 */
/* Collectives of blocks that are long enough for other processes to read them where they lie, of all ranks and of overlapping
 * groups.  Ranks come to their locations before, between and behind them, each at its own, and change what they have sent as
 * soon as a call has returned. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 240, LONG = 12000, MOST = 5 };

static long a[LONG], b[MOST * LONG], c[MOST * LONG];

static unsigned long long mix(unsigned long long sum, const long *p, int n)
{
    for (int i = 0; i < n; i += 7)
        sum = (sum * 31 + (unsigned long long)p[i]) % 2147483647;
    return sum;
}

static void fill(long *p, int n, long with)
{
    for (int i = 0; i < n; i++)
        p[i] = with + i % 97;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    unsigned long long sum = 1, all;
    MPI_Comm pairs, most;
    MPI_Request wait;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &pairs);
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &most);
    for (int round = 0; round < ROUNDS; round++) {
        int root = round % ranks, members, mine, n = LONG - round;
        if (rank % 3 == 0) {
#pragma pc3 checkpoint
        }
        if (rank == root)
            fill(a, n, (long)sum % 1000 + round);
        MPI_Bcast(a, n, MPI_LONG, root, MPI_COMM_WORLD);
        sum = mix(sum, a, n);
        fill(a, n, rank + round);
        if (rank % 3 == 1) {
#pragma pc3 checkpoint
        }
        MPI_Iallreduce(a, c, n, MPI_LONG, MPI_MAX, MPI_COMM_WORLD, &wait);
        MPI_Comm_size(pairs, &members);
        MPI_Allgather(a, n, MPI_LONG, b, n, MPI_LONG, pairs);
        sum = mix(sum, b, members * n);
        fill(b, ranks * n, rank);
        MPI_Wait(&wait, MPI_STATUS_IGNORE);
        sum = mix(sum, c, n);
        if (rank % 3 == 2) {
#pragma pc3 checkpoint
        }
        MPI_Comm_size(most, &members);
        MPI_Comm_rank(most, &mine);
        if (mine == round % members)
            fill(b, members * n, rank * round);
        MPI_Scatter(b, n, MPI_LONG, a, n, MPI_LONG, round % members, most);
        fill(b, members * n, -1);
        sum = mix(sum, a, n);
        MPI_Gather(a, n, MPI_LONG, c, n, MPI_LONG, (round + 1) % members, most);
        if (mine == (round + 1) % members)
            sum = mix(sum, c, members * n);
        fill(c, ranks * n, (long)sum % 100);
        MPI_Alltoall(c, n, MPI_LONG, b, n, MPI_LONG, MPI_COMM_WORLD);
        fill(c, ranks * n, 0);
        sum = mix(sum, b, ranks * n);
    }
    MPI_Reduce(&sum, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%llu\n", all);
    MPI_Comm_free(&pairs);
    MPI_Comm_free(&most);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
