#include <mpi.h>
static inline int forced(void) { return MPI_SUCCESS; }
