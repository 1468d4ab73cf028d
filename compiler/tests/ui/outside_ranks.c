// run: -c outside_ranks.c -o ROOT/ranks.o
// tool: gcc -DHELPER -c outside_ranks.c -o ROOT/theirs.o
// run: --emit=c ROOT/ranks.o ROOT/theirs.o
#ifdef HELPER
extern int rank;
int twice(void) { return 2 * rank; }
#else
#include <mpi.h>
int rank;
int twice(void);
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma pc3 checkpoint
    rank = twice();
    MPI_Finalize();
    return 0;
}
#endif
