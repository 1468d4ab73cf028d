/* pc3-test: mpi ranks=2 */
/* In the second of three stages rank 0 has more memory than there can be a copy of.  Where HEAVY_WAITS is set, stage N ends when there is a
   file N, too; the rounds until then leave no trace in the result.  Rank 0 writes its round down as it takes the memory and gives it back. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STAGES = 3, ROUNDS = 2000, BYTES = 400 << 20, PAGE = 4096 };

static int may_end(int stage)
{
    char name[16];
    snprintf(name, sizeof name, "%d", stage);
    return !getenv("HEAVY_WAITS") || access(name, F_OK) == 0;
}

static void note(const char *name, long round)
{
    FILE *f = fopen(name, "w");
    if (!f || fprintf(f, "%ld\n", round) < 0 || fclose(f))
        exit(4);
}

int main(int argc, char **argv)
{
    int rank, ranks, stage = 1;
    unsigned char *big = NULL;
    long sum = 0, of_stage = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (long i = 0; stage <= STAGES; i++) {
#pragma pc3 checkpoint
        if (rank == 0 && stage == 2 && !big) {
            big = malloc(BYTES);
            if (!big)
                return 3;
            for (long at = 0; at < BYTES; at += PAGE)
                big[at] = (unsigned char)(at / PAGE % 251);
            note("taken", i);
        }
        if (rank == 0 && stage == 3 && big) {
            free(big);
            big = NULL;
            note("given", i);
        }
        int ends = rank == 0 && of_stage + 1 >= ROUNDS && may_end(stage);
        int mine[2] = {(int)of_stage ^ rank, ends}, got[2];
        MPI_Sendrecv(mine, 2, MPI_INT, 1 - rank, 1, got, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* So that checkpoints are written meanwhile. */
        usleep(100);
        if (of_stage < ROUNDS)
            sum = (sum * 31 + got[0] + (big ? big[of_stage * 37 % (BYTES / PAGE) * PAGE] : 0)) % 1000003;
        of_stage++;
        if (ends || got[1]) {
            stage++;
            of_stage = 0;
        }
    }
    long sums[16];
    MPI_Gather(&sum, 1, MPI_LONG, sums, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("%d %ld\n", r, sums[r]);
    MPI_Finalize();
    return 0;
}
