/* pc3-test: mpi ranks=1 */
/* On how many threads a rank and what it spawns run. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KIDS = 5 };

int main(int argc, char **argv)
{
    MPI_Comm parent, kids;
    long mine = syscall(SYS_gettid), all[KIDS + 1];
    int distinct = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Gather(&mine, 1, MPI_LONG, NULL, 0, MPI_LONG, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
#pragma pc3 checkpoint
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, KIDS, MPI_INFO_NULL, 0, MPI_COMM_SELF, &kids, MPI_ERRCODES_IGNORE);
    MPI_Gather(NULL, 0, MPI_LONG, all, 1, MPI_LONG, MPI_ROOT, kids);
    MPI_Comm_disconnect(&kids);
    all[KIDS] = mine;
    for (int i = 0; i <= KIDS; i++) {
        int known = 0;
        for (int j = 0; j < i; j++)
            known |= all[j] == all[i];
        distinct += !known;
    }
    printf("%d threads\n", distinct);
    MPI_Finalize();
    return 0;
}
