/* pc3-test: mpi ranks=2 */
/* One rank prints, line by line. In the end each process cuts its output off behind where it stands, as Fortran's libraries do. */
#define _XOPEN_SOURCE 500
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 8; i++) {
#pragma pc3 checkpoint
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            printf("step %d of rank %d\n", i, rank);
            fflush(stdout);
        }
    }
    MPI_Finalize();
    off_t at = lseek(1, 0, SEEK_CUR);
    if (at >= 0 && ftruncate(1, at) != 0)
        return 1;
    return 0;
}
