/* pc3-test: mpi ranks=4000 */
/* Many ranks, each with an object on its heap, go on where they were: rank 0 says what its process takes for each of them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The most memory that the process has had, in KiB; its mappings. */
static void look(int *kib, int *mappings)
{
    char line[512];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %d", kib);
    if (f)
        fclose(f);
    f = fopen("/proc/self/maps", "r");
    for (*mappings = 0; f && fgets(line, sizeof line, f); ++*mappings)
        ;
    if (f)
        fclose(f);
}

int main(int argc, char **argv)
{
    int rank, ranks, kib = 0, mappings = 0;
    long sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long *mine = malloc(sizeof *mine);
    *mine = 3L * rank;
#pragma pc3 checkpoint
    MPI_Allreduce(mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%ld\n", sum);
        look(&kib, &mappings);
        fprintf(stderr, "%d KiB %d mappings\n", kib / ranks, mappings);
    }
    free(mine);
    MPI_Finalize();
    return 0;
}
