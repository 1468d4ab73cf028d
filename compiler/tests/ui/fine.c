#include <mpi.h>
#include <pc3.h>
int main(int argc, char **argv) {
    pc3_checkpoint();
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 4; i++) switch (i) {
    case 0:
#pragma pc3 checkpoint
        break;
    default:
#pragma pc3 checkpoint
    }
    MPI_Finalize();
#pragma pc3 checkpoint
}
