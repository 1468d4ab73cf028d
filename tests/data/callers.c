/* pc3-test: mpi ranks=4 */
/* Some connect by a port all the time, with an argument without a pause; another tries to spawn more ranks than there can be. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 400 };

int main(int argc, char **argv)
{
    int rank, pause = argc > 1 ? atoi(argv[1]) : 0;
    long sum = 0;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &half);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
#pragma pc3 checkpoint
        MPI_Comm other;
        int value = rank + i, got;
        if (rank < 2)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other);
        MPI_Allreduce(&value, &got, 1, MPI_INT, MPI_SUM, other);
        MPI_Comm_disconnect(&other);
        sum = (sum * 31 + got) % 1000003;
        if (rank == 3) {
            MPI_Comm children;
            MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
            sum += MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 20000, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                                  MPI_ERRCODES_IGNORE) != MPI_SUCCESS;
        }
        if (pause)
            usleep(pause);
    }
    long sums[4];
    MPI_Gather(&sum, 1, MPI_LONG, sums, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int r = 0; r < 4; r++)
            printf("%d %ld\n", r, sums[r]);
        MPI_Close_port(port);
    }
    MPI_Finalize();
    return 0;
}
