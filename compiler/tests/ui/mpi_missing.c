#include <mpi.h>
#include <pc3.h>
static int open(MPI_Socket *w) { return w != 0; }
struct files {
    int n;
    MPI_File file;
};
int main(int argc, char **argv) {
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    pc3_checkpoint();
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
