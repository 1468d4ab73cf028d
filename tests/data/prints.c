/* pc3-test: mpi ranks=2 */
/* One rank prints, line by line. In the end each process cuts its output off behind where it stands, as Fortran's libraries do:
 * behind what all have printed, as they share the open file. */
#define _XOPEN_SOURCE 500
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
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
    MPI_Barrier(MPI_COMM_WORLD);
    struct stat output;
    off_t at = lseek(1, 0, SEEK_CUR);
    /* Without arguments it is a file. */
    if (argc == 1 && (fstat(1, &output) != 0 || !S_ISREG(output.st_mode) || at != output.st_size))
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    if (at >= 0 && ftruncate(1, at) != 0)
        return 1;
    return 0;
}
