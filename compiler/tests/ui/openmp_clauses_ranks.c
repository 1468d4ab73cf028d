// pc3cc: -fopenmp
#include <mpi.h>
#include <pc3.h>
static int total, n, i, table[4];
int main(int argc, char **argv) {
    static int calls;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &n);
    pc3_checkpoint();
#pragma omp parallel default(none) shared(total) num_threads(n + 1)
    total++;
#pragma omp parallel for reduction(+ : calls) lastprivate(total)
    for (int k = 0; k < 9; k++)
        calls += total = k;
#pragma omp parallel for schedule(static, n)
    for (i = 0; i < 9; i++)
        table[i % 4] = i;
#pragma omp target map(tofrom : total)
    table[0] = total + n;
    return MPI_Finalize();
}
