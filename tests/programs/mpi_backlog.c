/* pc3-test: mpi ranks=2 */
/* More unexpected messages than the library cares to buffer, of two tags, received in the other
 * order: the program relies on buffering; a checkpoint while they wait. */
#include "mpi_check.h"

enum { MANY = 20000 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 2; round++) {
        if (rank == 0)
            for (int tag = 0; tag < 2; tag++)
                for (int i = 0; i < MANY / 2; i++) {
                    int value = i * 3 + tag + round;
                    MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
                }
#pragma pc3 checkpoint
        if (rank == 1)
            for (int tag = 1; tag >= 0; tag--)
                for (int i = 0; i < MANY / 2; i++) {
                    int value;
                    MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    mix(value);
                }
#pragma pc3 checkpoint
        show_all("received", (int)(check_sum >> 1));
    }
    return mpi_finish();
}
