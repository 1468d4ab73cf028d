/* pc3-test: mpi ranks=4 */
/* Each rank has a file of its own open, and all read one: in another number of processes, too, whatever numbers their descriptors have. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        FILE *made = fopen("input", "w");
        for (int i = 0; i < 50; i++)
            fprintf(made, "%d\n", i * i);
        fclose(made);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(name, sizeof name, "log-%d", rank);
    FILE *input = fopen("input", "r"), *log = fopen(name, "w+"), *more = rank & 1 ? tmpfile() : NULL;
    for (int step = 0; step < 10; step++) {
        for (int k = 0; k <= rank; k++)
            if (fscanf(input, "%d", &value) != 1)
                abort();
#pragma pc3 checkpoint
        fprintf(log, "rank %d step %d: %d\n", rank, step, value);
        if (more)
            fprintf(more, "%d ", step);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    char line[80];
    rewind(log);
    int lines = 0, total = 0;
    while (fgets(line, sizeof line, log))
        lines++;
    if (more)
        lines += (int)ftell(more) * 100;
    MPI_Reduce(&lines, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", total);
    fclose(input), fclose(log);
    if (more)
        fclose(more);
    MPI_Finalize();
    return 0;
}
