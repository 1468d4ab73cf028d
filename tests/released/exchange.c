/* pc3-test: mpi ranks=4 */
/* Its checkpoints of earlier releases go on (tests/suites/released.rs): nothing in this file may change. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
    double value;
    int from;
};

static void larger(void *in, void *inout, int *n, MPI_Datatype *type)
{
    struct pair *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++)
        if (a[i].value > b[i].value || (a[i].value == b[i].value && a[i].from < b[i].from))
            b[i] = a[i];
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT}, bare, pairs, column;
    int lengths[] = {1, 1};
    MPI_Aint places[] = {offsetof(struct pair, value), offsetof(struct pair, from)};
    MPI_Type_create_struct(2, lengths, places, members, &bare);
    MPI_Type_create_resized(bare, 0, sizeof(struct pair), &pairs);
    MPI_Type_commit(&pairs);
    MPI_Type_vector(4, 1, 5, MPI_LONG, &column);
    MPI_Type_commit(&column);
    MPI_Op best;
    MPI_Op_create(larger, 1, &best);
    MPI_Comm row;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &row);

    long grid[4][5];
    double sum = rank;
    struct pair mine = {rank * 1.5, rank}, found = {0, 0};
    for (int i = 0; i < 20; i++)
        grid[i / 5][i % 5] = rank * 100 + i;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int step = 0; step < 12; step++) {
        MPI_Request requests[2];
        double ahead = sum / (step + 1), came = -1;
        /* Two messages are under way at the location: one is received behind it, the other's receive is posted. */
        MPI_Irecv(&came, 1, MPI_DOUBLE, left, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&grid[0][step % 5], 1, column, right, 100 + step, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(&ahead, 1, MPI_DOUBLE, right, step, MPI_COMM_WORLD);
#pragma pc3 checkpoint
        MPI_Recv(&grid[0][(step + 1) % 5], 1, column, left, 100 + step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        sum += came + grid[2][step % 5] * 0.001;
        mine.value += came;
        MPI_Allreduce(&mine, &found, 1, pairs, best, row);
        sum += found.value / 1024 + found.from;
    }
    double total;
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.17g %d %.17g\n", total, found.from, found.value);
    double all[16];
    MPI_Gather(&sum, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%d %.17g\n", i, all[i]);
    MPI_Finalize();
    return 0;
}
