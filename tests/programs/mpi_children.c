/* pc3-test: mpi ranks=4 */
/* A child that a rank forks is no rank and no process of the job: however it ends, the job goes on. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpi_check.h"

static int child(int status)
{
    int how;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        exit(status);
    if (pid < 0 || waitpid(pid, &how, 0) != pid)
        return -1;
    return WIFEXITED(how) ? WEXITSTATUS(how) : -2;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 3; i++) {
        mix(child(0));
        mix(child(rank + 7 * i + 1));
#pragma pc3 checkpoint
        int token = child(rank + i);
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, 3, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        mix(token);
    }
    return mpi_finish();
}
