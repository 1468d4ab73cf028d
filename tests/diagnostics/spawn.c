/* pc3-test: mpi ranks=1 */
// run:
// run: as=OTHER
// run: as=MOVED
// run: PC3_STATS=on
/* Ranks that cannot be spawned: of another program, by a rank that has changed what it would share, while a run is observed. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    const char *command = argv[0];
#ifdef OTHER
    command = "worker";
#endif
#ifdef MOVED
    if (chdir("/"))
        return 2;
#endif
#pragma pc3 checkpoint
    MPI_Comm_spawn(command, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&children);
    MPI_Finalize();
    return 0;
}
