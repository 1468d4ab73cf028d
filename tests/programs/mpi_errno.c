/* pc3-test: mpi ranks=4 */
/* errno is the rank's own: what other ranks' failures leave there is not seen, across switches and checkpoints. */
#include <errno.h>
#include <stdlib.h>
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int rank, ranks, strange = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int own[] = {0, ERANGE, EDOM, ENOENT};
    errno = own[rank % 4];
    for (int i = 0; i < 12; i++) {
        if (errno != own[rank % 4])
            strange++;
        if (i % 3 == 0) {
#pragma pc3 checkpoint
        }
        if (errno != own[rank % 4])
            strange++;
        MPI_Barrier(MPI_COMM_WORLD);
        int token = i;
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, 3, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        mix(token);
    }
    show_all("strange", strange);
    return mpi_finish();
}
