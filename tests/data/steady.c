/* pc3-test: mpi ranks=3 */
/* All ranks write to one MPI_File all the time: no two lines of ranks have the same file. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks, got;
    MPI_File f;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File_open(MPI_COMM_WORLD, "steady.bin", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    for (int round = 0; round < 6000; round++) {
        MPI_File_write_at(f, (long)(round * ranks + rank) * 4, &round, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&round, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (round % (1 + 25 * rank) == 0) {
#pragma pc3 checkpoint
        }
    }
    MPI_File_close(&f);
    if (rank == 0)
        printf("%d\n", got);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
