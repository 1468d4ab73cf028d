/* pc3-test: mpi ranks=4 */
/* Rank 2 comes by its locations with a synchronous message that nobody receives for as long as the job runs. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        MPI_Issend(&value, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, &request);
    for (;;) {
#pragma pc3 checkpoint
        usleep(1000);
    }
}
