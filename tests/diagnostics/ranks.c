/* pc3-test: mpi ranks=3 */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest PC3_RANKS=5
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
#pragma pc3 checkpoint
    MPI_Finalize();
    return 0;
}
