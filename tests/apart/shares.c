/* pc3-test: mpi ranks=4 */
/* Files of MPI that stay open: most of the time all read one, now and then each writes its block of another, and its turn of a
 * third through the shared pointer, while messages to whoever is ready keep the ranks apart. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 1500, WIDE = 60, TABLE = 400 };

static MPI_File open_file(const char *name, int mode)
{
    MPI_File f;
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &f);
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    return f;
}

static unsigned sum_of(MPI_File f, long n)
{
    unsigned sum = 1;
    MPI_Offset size;
    MPI_File_get_size(f, &size);
    if (size != n * 4)
        return 0;
    for (long i = 0; i < n; i++) {
        int v;
        MPI_File_read_at(f, i, &v, 1, MPI_INT, MPI_STATUS_IGNORE);
        sum = (sum * 31 + (unsigned)v) % 65521;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks, blocks = 0, turns = 0, block[8] = {0}, came, v;
    unsigned sum = 7;
    MPI_File table, out, order;
    MPI_Status who;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    table = open_file("table", MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (int i = rank; i < TABLE; i += ranks) {
        v = i * 37 % 101;
        MPI_File_write_at(table, i, &v, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&table);
    table = open_file("table", MPI_MODE_RDONLY);
    out = open_file("out.bin", MPI_MODE_CREATE | MPI_MODE_RDWR);
    order = open_file("order.bin", MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (int round = 0; round < ROUNDS; round++) {
        int next = (rank + 1 + round % (ranks - 1)) % ranks;
        if (round % (2 + rank) == 0) {
#pragma pc3 checkpoint
        }
        MPI_File_read_at(table, sum % TABLE, &v, 1, MPI_INT, MPI_STATUS_IGNORE);
        v += round;
        MPI_Send(&v, 1, MPI_INT, next, round, MPI_COMM_WORLD);
        MPI_Recv(&came, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &who);
        sum = (sum * 5 + (unsigned)came + (unsigned)who.MPI_SOURCE) % 65521;
        if (round % WIDE == WIDE - 1) {
            for (int i = 0; i < 8; i++)
                block[i] = (int)(sum + i);
            MPI_File_write_at(out, (long)(blocks * ranks + rank) * 8, block, 8, MPI_INT, MPI_STATUS_IGNORE);
            blocks++;
        }
        if (round % (5 * WIDE) == 7) {
            MPI_File_write_ordered(order, &block[rank % 2], 1, MPI_INT, MPI_STATUS_IGNORE);
            turns++;
        }
    }
    MPI_File_sync(out);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%u %u\n", sum_of(out, (long)blocks * ranks * 8), sum_of(order, (long)turns * ranks));
    MPI_File_close(&order);
    MPI_File_close(&out);
    MPI_File_close(&table);
    MPI_Reduce(rank ? &sum : MPI_IN_PLACE, &sum, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%u\n", sum);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
