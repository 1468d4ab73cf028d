// run: -shared -fPIC shared_ranks.c -o ROOT/shared_ranks.so
#include <mpi.h>
int rank_of(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}
