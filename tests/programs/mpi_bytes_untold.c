/* pc3-test: mpi ranks=4 */
/* Bytes of which the call does not say what they are, but the memory does: behind parameters and computed addresses, with a payload
 * behind a header, by way of a pointer to MPI_Send, in types that any constructor has made of MPI_BYTE. */
#include "mpi_check.h"

struct header {
    int kind, length;
    double scale;
};

struct package {
    struct header head;
    double payload[];
};

struct grid {
    int rows, columns;
    double at[30];
};

enum { VALUES = 60 };

static double values[VALUES], taken[VALUES];
static struct header headers[6], heads[6];
static struct grid grid, got;
static char letters[] = "characters, whatever they are counted by";
static int rank, ranks, right, left;
static int (*send_by)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = MPI_Send;

static void put_text(const char *from, int bytes, int tag)
{
    MPI_Send(from, bytes, MPI_BYTE, right, tag, MPI_COMM_WORLD);
}

static void put_header(struct header *from, int bytes, int tag)
{
    MPI_Send(from, bytes, MPI_BYTE, right, tag, MPI_COMM_WORLD);
}

static void put_ints(int *from, int bytes, int tag)
{
    MPI_Send(from, bytes, MPI_BYTE, right, tag, MPI_COMM_WORLD);
}

static void put_any(const void *from, int bytes, int tag)
{
    const char *next = from;
    for (int piece; bytes; bytes -= piece, next += piece) {
        piece = bytes > 64 ? 64 : bytes;
        MPI_Send(next, piece, MPI_BYTE, right, tag, MPI_COMM_WORLD);
    }
}

static void take_any(void *to, int bytes, int tag)
{
    char *next = to;
    for (int piece; bytes; bytes -= piece, next += piece) {
        piece = bytes > 64 ? 64 : bytes;
        MPI_Recv(next, piece, MPI_BYTE, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static MPI_Datatype so_many(size_t bytes)
{
    MPI_Datatype made;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &made);
    MPI_Type_commit(&made);
    return made;
}

static int total(const double *d, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += d[i] * (i + 1);
    return (int)(sum * 64);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;

    MPI_Datatype whole = so_many(sizeof(struct header)), indexed, built, again, wide, tile;
    int lengths[2] = {2 * sizeof(double), sizeof(double)}, at[2] = {sizeof(double), 5 * sizeof(double)};
    MPI_Type_indexed(2, lengths, at, MPI_BYTE, &indexed);
    MPI_Aint places[2] = {0, 2 * sizeof(struct header)};
    int both[2] = {sizeof(struct header), sizeof(struct header)};
    MPI_Datatype bytes[2] = {MPI_BYTE, MPI_BYTE};
    MPI_Type_create_struct(2, both, places, bytes, &built);
    MPI_Type_dup(indexed, &again);
    MPI_Type_create_resized(whole, 0, 2 * sizeof(struct header), &wide);
    int sizes[2] = {6, 5 * sizeof(double)}, part[2] = {3, 2 * sizeof(double)}, from[2] = {1, sizeof(double)};
    MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_BYTE, &tile);
    MPI_Datatype all[5] = {indexed, built, again, wide, tile};
    for (int i = 0; i < 5; i++)
        MPI_Type_commit(&all[i]);

    struct package *package = malloc(sizeof *package + 8 * sizeof(double));
    double *payload = package->payload;
    double *on_heap = malloc(VALUES * sizeof *on_heap);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < VALUES; i++)
            values[i] = on_heap[i] = rank + round * 7 + i / 3.0;
        for (int i = 0; i < 6; i++)
            headers[i] = (struct header){rank + i, i * 1000, i / 7.0};
        grid = (struct grid){rank, round, {1.5, 2.25 + rank, 1 / 3.0}};
        package->head = (struct header){7, 8, round / 3.0};
        for (int i = 0; i < 8; i++)
            payload[i] = rank - i / 9.0;

        MPI_Request pending[2];
        MPI_Irecv(taken, 3, whole, left, 40, MPI_COMM_WORLD, &pending[0]);
        MPI_Irecv(taken + 30, 1, indexed, left, 41, MPI_COMM_WORLD, &pending[1]);
#pragma pc3 checkpoint
        put_text((char *)values + 10 * sizeof(double), 3 * sizeof(double), 1);
        put_text((char *)(on_heap + 20), 2 * sizeof(double), 2);
        put_text(letters, 24, 3);
        put_header(&package->head, (int)(sizeof *package + 8 * sizeof(double)), 4);
        put_ints(&grid.rows, sizeof grid, 5);
        put_any(values, sizeof values, 6);
        send_by(headers, sizeof headers, MPI_BYTE, right, 7, MPI_COMM_WORLD);
        send_by(letters, sizeof letters, MPI_BYTE, right, 8, MPI_COMM_WORLD);
        MPI_Send(headers, 2, whole, right, 9, MPI_COMM_WORLD);
        MPI_Send(values, 1, indexed, right, 10, MPI_COMM_WORLD);
        MPI_Send(headers, 1, built, right, 11, MPI_COMM_WORLD);
        MPI_Send(on_heap, 2, again, right, 12, MPI_COMM_WORLD);
        MPI_Send(headers, 3, wide, right, 13, MPI_COMM_WORLD);
        MPI_Send(values, 1, tile, right, 14, MPI_COMM_WORLD);
        MPI_Send(values, 3, whole, right, 40, MPI_COMM_WORLD);
#pragma pc3 checkpoint
        MPI_Send(values, 1, indexed, right, 41, MPI_COMM_WORLD);
        MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
        show_all("pending", total(taken, VALUES));
        MPI_Recv(taken, 3 * sizeof(double), MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(taken + 3, 2 * sizeof(double), MPI_BYTE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("computed", total(taken, 5));
#pragma pc3 checkpoint
        char text[64] = "";
        MPI_Recv(text, 24, MPI_BYTE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("text", text[0] * 100 + text[23]);
        MPI_Recv(package, (int)(sizeof *package + 8 * sizeof(double)), MPI_BYTE, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("payload", package->head.kind + package->head.length + total(payload, 8));
        MPI_Recv(&got.rows, sizeof got, MPI_BYTE, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("grid", got.rows + got.columns + total(got.at, 30));
        take_any(taken, sizeof taken, 6);
        show_all("pieces", total(taken, VALUES));
#pragma pc3 checkpoint
        MPI_Recv(heads, sizeof heads, MPI_BYTE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("pointer", heads[5].kind + heads[5].length + (int)(heads[5].scale * 63));
        MPI_Recv(text, sizeof letters, MPI_BYTE, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("letters", text[11] * 100 + text[12]);
        MPI_Recv(heads, 2, whole, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(taken, 1, indexed, left, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(heads, 1, built, left, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("built", heads[1].length + heads[2].length + heads[2].kind);
        MPI_Recv(taken + 6, 2, again, left, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(heads, 3, wide, left, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("wide", heads[2].kind + heads[4].length + (int)(heads[4].scale * 63));
        MPI_Recv(taken + 20, 1, tile, left, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("derived", total(taken, VALUES));
    }
    MPI_Type_free(&whole);
    for (int i = 0; i < 5; i++)
        MPI_Type_free(&all[i]);
    free(on_heap);
    free(package);
    return mpi_finish();
}
