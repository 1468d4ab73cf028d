/* pc3-test: mpi ranks=4 */
/* A descriptor has the number that it has without other processes and their launchers, before and after a restart. */
#include "mpi_check.h"

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, fd = -1, again = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        fd = open("mpi_numbers.out", O_RDWR | O_CREAT | O_TRUNC, 0644);
        again = dup(fd);
    }
    for (int step = 0; step < 6; step++) {
#pragma pc3 checkpoint
        if (rank == 0 && write(step % 2 ? fd : again, "0123", 4) != 4)
            MPI_Abort(MPI_COMM_WORLD, 2);
        show_all("numbers", fd * 10 + again);
        show_all("at", rank == 0 ? (int)lseek(fd, 0, SEEK_CUR) : 0);
    }
    if (rank == 0) {
        close(fd);
        close(again);
        unlink("mpi_numbers.out");
    }
    return mpi_finish();
}
