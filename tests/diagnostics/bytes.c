/* pc3-test: mpi ranks=2 */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest on=s390x
// run: PC3_RESTART=latest
/* A message of bytes of which nothing says what they are. */
#include <mpi.h>

struct pair {
    int number;
    double value;
};

static void put(void *memory, int bytes) {
    MPI_Send(memory, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank;
    struct pair p = {1, 2.5}, q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        put(&p, sizeof p);
#pragma pc3 checkpoint
    if (rank == 1)
        MPI_Recv(&q, sizeof q, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return rank == 1 && q.value != 2.5;
}
