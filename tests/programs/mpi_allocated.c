/* pc3-test: mpi ranks=3 */
/* Memory from MPI_Alloc_mem: rows of numbers, linked structs, through a function of the program's own, given back between locations. */
#include "mpi_check.h"

struct cell {
    struct cell *next;
    long value;
    double weight;
};

static void *shared(size_t bytes)
{
    void *p;
    if (MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &p))
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

int main(int argc, char **argv)
{
    int rank, size;
    double *row, *from_left;
    struct cell *ring = 0, *last = 0;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "16");
    MPI_Alloc_mem(16 * sizeof *row, info, &row);
    MPI_Info_free(&info);
    from_left = shared(16 * sizeof(double));
    for (int i = 0; i < 16; i++)
        row[i] = rank + i / 8.0;
#pragma pc3 checkpoint
    for (int step = 0; step < 5; step++) {
        struct cell *new;
        MPI_Alloc_mem(sizeof(struct cell), MPI_INFO_NULL, &new);
        new->value = step * 1000L + rank;
        new->weight = row[step];
        new->next = ring ? ring : new;
        if (last)
            last->next = new;
        else
            last = new;
        ring = new;
#pragma pc3 checkpoint
        MPI_Sendrecv(row, 16, MPI_DOUBLE, (rank + 1) % size, step, from_left, 16, MPI_DOUBLE, (rank + size - 1) % size, step,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int *counts = shared(4 * sizeof *counts);
        for (int i = 0; i < 4; i++)
            counts[i] = step + i;
#pragma pc3 checkpoint
        for (int i = 0; i < 16; i++)
            row[i] = row[i] / 2 + from_left[15 - i] * counts[i % 4];
        MPI_Free_mem(counts);
        long sum = ring->value + (long)(ring->weight * 8);
        for (struct cell *c = ring->next; c != ring; c = c->next)
            sum = 3 * sum + c->value + (long)(c->weight * 8);
        show_all("cells", (int)(sum % 100000));
    }
    for (int i = 0; i < 16; i++)
        mix((long long)(row[i] * 1024));
    while (last->next != last) {
        struct cell *c = last->next;
        last->next = c->next;
        MPI_Free_mem(c);
    }
    MPI_Free_mem(last);
    MPI_Free_mem(row);
    MPI_Free_mem(from_left);
    return mpi_finish();
}
