/* pc3-test: mpi ranks=4 */
/* The process of the last rank is killed twice, which files remember. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

static void killed_once(const char *file)
{
    if (open(file, O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0)
        raise(SIGKILL);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    long long sum = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 100; round++) {
#pragma pc3 checkpoint
        sum += round * rank;
        MPI_Allreduce(&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0 && round % 10 == 0)
            printf("%d: %lld\n", round, all);
        if (rank == ranks - 1 && round == 52)
            killed_once("first");
        if (rank == ranks - 1 && round == 83)
            killed_once("second");
    }
    if (rank == 0)
        printf("%lld in all\n", all);
    MPI_Finalize();
    return 0;
}
