/* pc3-test: mpi ranks=4 */
/* Callbacks that communicate: before each checkpoint (`before`), or as the program goes on from one (`restart`). */
#include <mpi.h>
#include <pc3.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3000 };

static void meet(int event, void *context)
{
    (void)event;
    (void)context;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        pc3_on(!strcmp(argv[1], "before") ? PC3_BEFORE : PC3_RESTART, meet, NULL);
    for (int i = 0; i < ROUNDS; i++) {
#pragma pc3 checkpoint
        int value = i ^ rank, got;
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % ranks, 1, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = (sum * 31 + got) % 1000003;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld\n", sum);
    MPI_Finalize();
    return 0;
}
