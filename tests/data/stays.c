/* pc3-test: mpi ranks=4 */
/* Adds until the environment or a file says that it is enough; what it prints does not depend on how long that took.  AWAY: comes to no location before
   there is a file `go`.  GONE: half of the ranks end at once. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    long long rounds = 0, sum = 0;
    MPI_Comm those;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int gone = getenv("GONE") && rank >= ranks / 2;
    MPI_Comm_split(MPI_COMM_WORLD, gone, rank, &those);
    if (gone) {
        MPI_Finalize();
        return 0;
    }
    while (getenv("AWAY") && access("go", F_OK))
        usleep(1000);
    for (;;) {
#pragma pc3 checkpoint
        int mine[2] = {rank, getenv("ENOUGH") || !access("enough", F_OK)}, all[2];
        MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, those);
        sum += all[0], rounds++;
        if (all[1] && rounds > 20)
            break;
    }
    if (rank == 0)
        printf("%lld each round\n", sum / rounds);
    MPI_Finalize();
    return 0;
}
