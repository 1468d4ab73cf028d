/* pc3-test: mpi ranks=4 */
// run: processes=2 PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest
// run: processes=2 PC3_RESTART=latest
/* Files of two ranks have the same number in two processes, and cannot have it in one. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "of-%d", rank);
    /* Numbers that the program chooses, the same in both processes. */
    int file = 100 + rank % 2, opened = open(name, O_RDWR | O_CREAT, 0600);
    if (dup2(opened, file) != file || close(opened))
        return 1;
    if (write(file, "a", 1) != 1)
        return 1;
#pragma pc3 checkpoint
    if (write(file, "b", 1) != 1 || lseek(file, 0, SEEK_END) != 2)
        return 1;
    close(file);
    MPI_Finalize();
    return 0;
}
