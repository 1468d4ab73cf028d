/* pc3-test: mpi ranks=3 */
/* All ranks append to one file: at first each opens it for a line, later it stays open.  Each line must be there once, and
 * those of a rank in their order, whoever is ahead. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 3000, AHEAD = 40 };

static FILE *common(const char *mode)
{
    FILE *f = fopen("common.log", mode);
    if (!f)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return f;
}

int main(int argc, char **argv)
{
    int rank, ranks, next[3] = {0, 0, 0}, r, line, wrong = 0;
    long sum = 0, came;
    FILE *f = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < AHEAD; i++)
        MPI_Send(&sum, 1, MPI_LONG, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Recv(&came, 1, MPI_LONG, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = (sum * 7 + came + round) % 65521;
        if (!f)
            f = common("a");
        fprintf(f, "%d %d\n", rank, round);
        fflush(f);
        if (round < ROUNDS / 2)
            fclose(f), f = NULL;
        if (round % (1 + 5 * rank) == 0) {
#pragma pc3 checkpoint
        }
        MPI_Send(&sum, 1, MPI_LONG, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    }
    fclose(f);
    for (int i = 0; i < AHEAD; i++)
        MPI_Recv(&came, 1, MPI_LONG, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        f = common("r");
        while (fscanf(f, "%d %d", &r, &line) == 2)
            wrong += r < 0 || r >= ranks || line != next[r]++;
        printf("%d %d %d lines, %d wrong\n", next[0], next[1], next[2], wrong);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
