/* pc3-test: mpi ranks=4 */
/* Ranks choose at the same moment what a signal does to them, each something else, and get that. */
#include "mpi_check.h"
#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t caught;

static void count(int signal)
{
    (void)signal;
    caught++;
}

/* How many of `rounds` signals came to this rank, which handles those of every other round. */
static int rounds(int rank, int rounds)
{
    caught = 0;
    for (int i = 0; i < rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        signal(SIGUSR1, (i + rank) % 2 ? count : SIG_IGN);
        raise(SIGUSR1);
    }
    signal(SIGUSR1, SIG_IGN);
    return caught;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int part = 0; part < 3; part++) {
        show_all("caught", rounds(rank, 3001));
#pragma pc3 checkpoint
        raise(SIGUSR1);
    }
    return mpi_finish();
}
