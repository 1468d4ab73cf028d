/* So many rounds of one kind of communication, for whoever counts instructions: rounds KIND N.  With one argument more it waits
 * at the end until it is ended, for whoever counts what was sent. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    double value[1] = {1}, sum[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *kind = argc > 1 ? argv[1] : "";
    int rounds = argc > 2 ? atoi(argv[2]) : 0, what = kind[0];
    if (what == 'p' && rank > 1)
        rounds = 0;
#pragma pc3 checkpoint
    for (int i = 0; i < rounds; i++) {
        if (what == 'b') {
            MPI_Barrier(MPI_COMM_WORLD);
        } else if (what == 'a') {
            MPI_Allreduce(value, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        } else if (what == 'c') {
            MPI_Bcast(value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        } else if (what == 'r') {
            MPI_Reduce(value, sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        } else if (what == 's') {
            MPI_Scan(value, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        } else if (what == 'p') {
            for (int turn = 0; turn < 2; turn++)
                if (turn == rank)
                    MPI_Send(value, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
                else
                    MPI_Recv(value, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (argc > 3) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            puts("done"), fflush(stdout);
            pause();
        }
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
