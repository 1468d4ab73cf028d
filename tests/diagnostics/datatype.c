/* pc3-test: mpi ranks=2 */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest on=i686
// run: PC3_RESTART=latest
/* A datatype whose displacements nothing explains under another ABI. */
#include <mpi.h>

int main(int argc, char **argv) {
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 10};
    MPI_Datatype types[2] = {MPI_LONG, MPI_INT}, type;
    MPI_Init(&argc, &argv);
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
#pragma pc3 checkpoint
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
