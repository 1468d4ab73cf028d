/* pc3-test: mpi ranks=3 */
/* Derived datatypes made before locations and used after them: their offsets and extents differ
 * between ABIs, so they must follow the program's structures. */
#include "mpi_check.h"

#include <stddef.h>

struct particle {
    char kind;
    double place[3];
    long charge; /* of different size and alignment on other ABIs */
    short pair[2];
};

enum { ROWS = 5, COLUMNS = 6 };

static MPI_Datatype particle_type(void)
{
    int lengths[4] = {1, 3, 1, 2};
    MPI_Aint offsets[4] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                           offsetof(struct particle, charge), offsetof(struct particle, pair)};
    MPI_Datatype types[4] = {MPI_CHAR, MPI_DOUBLE, MPI_LONG, MPI_SHORT}, open, closed;
    MPI_Type_create_struct(4, lengths, offsets, types, &open);
#pragma pc3 checkpoint
    MPI_Type_create_resized(open, 0, sizeof(struct particle), &closed);
    MPI_Type_free(&open);
    MPI_Type_commit(&closed);
    return closed;
}

static int digest(int table[ROWS][COLUMNS])
{
    int sum = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            sum = (sum * 7 + table[r][c]) % 100003;
    return sum;
}

static void fill(int table[ROWS][COLUMNS], int base)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            table[r][c] = base + r * COLUMNS + c;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;

    MPI_Datatype particle = particle_type(), column, narrow_column, block, picked, bytes, stride, by_bytes;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &narrow_column);
    int sizes[2] = {ROWS, COLUMNS}, inner[2] = {2, 3}, start[2] = {1, 2};
    MPI_Type_create_subarray(2, sizes, inner, start, MPI_ORDER_C, MPI_INT, &block);
    int lengths[3] = {1, 2, 1}, places[3] = {0, 7, 29};
    MPI_Type_indexed(3, lengths, places, MPI_INT, &picked);
    MPI_Type_create_hvector(2, 1, 2 * sizeof(struct particle), particle, &stride);
    MPI_Aint byte_places[2] = {(MPI_Aint)(COLUMNS * sizeof(int)), 0};
    int byte_lengths[2] = {2, 1};
    MPI_Type_create_hindexed(2, byte_lengths, byte_places, MPI_INT, &by_bytes);
    MPI_Type_contiguous(4, narrow_column, &bytes);
    MPI_Datatype *all[] = {&column, &narrow_column, &block, &picked, &stride, &by_bytes, &bytes};
    for (int i = 0; i < 7; i++) {
#pragma pc3 checkpoint
        MPI_Type_commit(all[i]);
    }

    for (int step = 0; step < 3; step++) {
        struct particle out[4], in[4];
        memset(in, 0, sizeof in);
        for (int i = 0; i < 4; i++)
            out[i] = (struct particle){(char)('a' + rank), {i, step, rank / 2.0}, -100000L * i, {(short)i, (short)step}};
#pragma pc3 checkpoint
        MPI_Sendrecv(out, 4, particle, to, 0, in, 4, particle, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        double sum = 0;
        for (int i = 0; i < 4; i++)
            sum = sum * 2 + in[i].kind + in[i].place[0] + in[i].place[2] + in[i].charge / 1000.0 + in[i].pair[0];
        show_all("particles", (int)sum);
        memset(in, 0, sizeof in);
#pragma pc3 checkpoint
        MPI_Sendrecv(out + 1, 1, stride, to, 1, in, 2, particle, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("stride", (int)in[0].charge / 1000 + (int)in[1].place[0]);

        static int table[ROWS][COLUMNS], other[ROWS][COLUMNS];
        for (int i = 0; i < 7; i++) {
            if (all[i] == &stride)
                continue;
            int offset = all[i] == &column || all[i] == &narrow_column, size;
            fill(table, rank * 100 + step);
            fill(other, -1000);
            MPI_Request request;
            MPI_Irecv(&other[0][offset], 1, *all[i], from, 2, MPI_COMM_WORLD, &request);
#pragma pc3 checkpoint
            MPI_Send(&table[0][offset], 1, *all[i], to, 2, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Type_size(*all[i], &size);
            show_all("table", digest(other) * 10 + size / (int)sizeof(int) % 10);
        }
        /* Out as columns, in as plain numbers: a transposition. */
        int transposed[COLUMNS][ROWS];
        fill(table, rank);
        MPI_Sendrecv(table, COLUMNS, narrow_column, to, 3, transposed, ROWS * COLUMNS, MPI_INT, from, 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        show_all("transposed", transposed[5][1] * 100 + transposed[0][4]);
    }
    for (int i = 0; i < 7; i++)
        MPI_Type_free(all[i]);
    MPI_Type_free(&particle);
    return mpi_finish();
}
