// pc3cc: -fopenmp
#include <mpi.h>
static int a;
#pragma omp threadprivate(a)
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
#pragma omp parallel
    a++;
    MPI_Finalize();
    return a;
}
