/* pc3-test: mpi ranks=4 */
/* A file that all ranks have open at locations: explicit places, own pointers, views, its size. */
#include "mpi_check.h"

enum { INTS = 6, STEPS = 5 };

static int value(int rank, int step, int i)
{
    return rank * 1000 + step * 10 + i;
}

int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File file, absent, tail;
    int code = MPI_File_open(MPI_COMM_WORLD, "no such file", MPI_MODE_RDONLY, MPI_INFO_NULL, &absent), class;
    MPI_Error_class(code, &class);
    show_all("absent", class == MPI_ERR_NO_SUCH_FILE);
    int *data = calloc(INTS, sizeof *data), *back = calloc(INTS, sizeof *back);
    MPI_Offset size;
    MPI_Datatype every;
    if (!data || !back)
        MPI_Abort(MPI_COMM_WORLD, 1);
#pragma pc3 checkpoint
    MPI_File_open(MPI_COMM_WORLD, "mpi_file.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    /* Each rank has INTS of ranks * INTS in turn. */
    MPI_Type_vector(1, INTS, INTS * ranks, MPI_INT, &every);
    MPI_Type_create_resized(every, 0, (MPI_Aint)(sizeof(int) * INTS) * ranks, &every);
    MPI_Type_commit(&every);
    MPI_File_set_view(file, (MPI_Offset)(sizeof(int) * INTS) * rank, MPI_INT, every, "external32", MPI_INFO_NULL);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < INTS; i++)
            data[i] = value(rank, step, i);
        MPI_File_write_all(file, data, INTS, MPI_INT, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_get_size(file, &size);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_read_at_all(file, (MPI_Offset)step * INTS, back, INTS, MPI_INT, MPI_STATUS_IGNORE);
        for (int i = 0; i < INTS; i++)
            wrong += back[i] != value(rank, step, i);
        show_all("size", (int)size);
    }
    MPI_File_sync(file);
    MPI_File_close(&file);
    MPI_File_open(MPI_COMM_WORLD, "mpi_file.data", MPI_MODE_APPEND | MPI_MODE_RDWR, MPI_INFO_NULL, &tail);
    MPI_File_get_position(tail, &size);
    show_all("tail", (int)size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_at(tail, size + rank, "abcd" + rank, 1, MPI_CHAR, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
    char text[5] = "";
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(tail, size, text, 4, MPI_CHAR, MPI_STATUS_IGNORE);
    wrong += strcmp(text, "abcd") != 0;
    MPI_File_close(&tail);
    show_all("wrong", wrong);
    MPI_Type_free(&every);
    free(data);
    free(back);
    return mpi_finish();
}
