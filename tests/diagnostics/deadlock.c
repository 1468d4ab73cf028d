/* pc3-test: mpi ranks=2 */
// run: PC3_WORKERS=1
#include <mpi.h>

int main(int argc, char **argv) {
    int v, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma pc3 checkpoint
    MPI_Recv(&v, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
