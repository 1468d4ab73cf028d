/* pc3-test: mpi ranks=4 */
/* Thread-local variables are a rank's own, whatever threads ranks share. */
#include "mpi_check.h"

static __thread int mine;
_Thread_local int *where = NULL;

static int calls(void)
{
    static __thread int n = 10;
    return n++;
}

int main(int argc, char **argv)
{
    int rank, ranks, strange = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    where = &mine;
    for (int i = 0; i < 10; i++) {
        mine += rank + i;
#pragma pc3 checkpoint
        int token = *where;
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, 3, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        mix(token);
        strange += where != &mine || calls() != 10 + i;
    }
    show_all("mine", mine);
    show_all("strange", strange);
    return mpi_finish();
}
