// tool: gcc -DOPEN -c another_mpi.c -o ROOT/open.o
// tool: gcc -DOTHER -c another_mpi.c -o ROOT/other.o
// tool: gcc -DMAIN -c another_mpi.c -o ROOT/main.o
// tool: gcc -DFINE -c another_mpi.c -o ROOT/fine.o
// tool: gcc -DSTUBS -c another_mpi.c -o ROOT/stubs.o
// run: --emit=c another_mpi.c ROOT/open.o ROOT/other.o -o ROOT/program
// run: --emit=c another_mpi.c ROOT/other.o -o ROOT/program
// run: --emit=c another_mpi.c ROOT/fine.o ROOT/stubs.o -o ROOT/program
// run: ROOT/main.o ROOT/other.o -o ROOT/program
// run: ROOT/main.o ROOT/other.o ROOT/stubs.o -o ROOT/program
#if defined OPEN
extern struct comm ompi_mpi_comm_world;
int MPI_Barrier(struct comm *);
void open_mpi(void) { MPI_Barrier(&ompi_mpi_comm_world); }
#elif defined OTHER
int MPI_Barrier(int);
void other(void) { MPI_Barrier(0x44000000); }
#elif defined FINE
// Names that only look like it, and what it can do without.
extern int ompi_of_ours;
int MPI_Of_ours(int);
int MPI_Initialized(int *) __attribute__((weak));
void open_mpi(void) { MPI_Of_ours(ompi_of_ours); }
void other(void) { if (MPI_Initialized) MPI_Initialized(&ompi_of_ours); }
#elif defined STUBS
int ompi_of_ours;
int MPI_Of_ours(int n) { return n; }
int MPI_Barrier(int n) { return n; }
int MPI_Init(int *argc, char ***argv) { return !argc || !argv; }
#elif defined MAIN
int MPI_Init(int *, char ***);
void other(void);
int main(int argc, char **argv) { MPI_Init(&argc, &argv); other(); return 0; }
#else
#include <mpi.h>
void open_mpi(void), other(void);
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        open_mpi();
        other();
    }
    return MPI_Finalize();
}
#endif
