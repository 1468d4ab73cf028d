/* pc3-test: mpi ranks=3 */
/* Data representations of the program's own, with its functions and what they count kept over checkpoints; external32 where it
 * is narrower than memory. */
#include "mpi_check.h"

enum { WIDTH = 12, STEPS = 4, EACH = 2 };

static struct told {
    int written, read;
    MPI_Datatype spread; /* an int in every second place */
} told;

static int *item(void *buffer, MPI_Datatype type, MPI_Offset i)
{
    return (int *)buffer + (type == told.spread ? 2 * i : i);
}

/* Integers as decimal digits. */
static int digits_out(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
    for (int i = 0; i < count; i++) {
        char one[WIDTH + 1];
        snprintf(one, sizeof one, "%+011d\n", *item(user, type, position + i));
        memcpy((char *)file + i * WIDTH, one, WIDTH);
    }
    ((struct told *)state)->written += count;
    return MPI_SUCCESS;
}

static int digits_in(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
    for (int i = 0; i < count; i++) {
        char one[WIDTH + 1] = {0};
        memcpy(one, (char *)file + i * WIDTH, WIDTH);
        if (one[WIDTH - 1] != '\n')
            return MPI_ERR_OTHER;
        *item(user, type, position + i) = atoi(one);
    }
    ((struct told *)state)->read += count;
    return MPI_SUCCESS;
}

static int digits_wide(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)state;
    *extent = WIDTH;
    return type == MPI_INT ? MPI_SUCCESS : MPI_ERR_TYPE;
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Register_datarep("digits", digits_in, digits_out, digits_wide, &told);
    MPI_Register_datarep("raw", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, digits_wide, NULL);
    int twice = MPI_Register_datarep("digits", digits_in, digits_out, digits_wide, NULL);
    int taken = MPI_Register_datarep("external32", digits_in, digits_out, digits_wide, NULL);
    show_all("taken", (class_of(twice) == MPI_ERR_DUP_DATAREP) + (class_of(taken) == MPI_ERR_DUP_DATAREP));
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &told.spread);
    MPI_Type_commit(&told.spread);

    /* Each rank sees its column; a file type in elements is as wide as the elements are there. */
    MPI_File f;
    MPI_Datatype column;
    MPI_Aint extent;
    MPI_Offset at;
    MPI_Status status;
    int sizes[2] = {EACH, ranks}, part[2] = {EACH, 1}, start[2] = {0, rank}, count;
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_File_open(MPI_COMM_WORLD, "mpi_representations.file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_set_size(f, 0);
    show_all("unknown", class_of(MPI_File_set_view(f, 0, MPI_INT, column, "rational", MPI_INFO_NULL)) ==
                            MPI_ERR_UNSUPPORTED_DATAREP);
    show_all("no extent", class_of(MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "digits", MPI_INFO_NULL)) ==
                              MPI_ERR_CONVERSION);
    MPI_File_set_view(f, 0, MPI_INT, column, "digits", MPI_INFO_NULL);
    MPI_File_get_type_extent(f, column, &extent);
    MPI_File_get_byte_offset(f, 3, &at);
    show_all("extent and place", (int)(extent * 1000 + at));
#pragma pc3 checkpoint
    for (int step = 0; step < STEPS; step++) {
        int mine[2 * EACH] = {rank * 1000 + step, -1, -(rank * 1000 + step), -1};
        MPI_File_write(f, mine, EACH, told.spread, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_File_get_position(f, &at);
#pragma pc3 checkpoint
        show_all("written, at", count * 100 + (int)at);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int back[STEPS * EACH + 3] = {0}, sum = 0;
    MPI_File_read_at(f, 1, back, STEPS * EACH + 2, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < count; i++)
        sum = sum * 3 + back[i];
    show_all("read back", sum * 10 + count);
    char name[MPI_MAX_DATAREP_STRING];
    MPI_Offset disp;
    MPI_Datatype etype, filetype;
    MPI_File_get_view(f, &disp, &etype, &filetype, name);
    show_all(name, (etype == MPI_INT) * 100 + told.written + told.read);
    MPI_Type_free(&filetype);

    /* As text, and a place where no number is. */
    MPI_File_set_view(f, 0, MPI_CHAR, MPI_CHAR, "internal", MPI_INFO_NULL);
    char text[2 * WIDTH + 1] = {0};
    MPI_File_read_at(f, rank * 2 * WIDTH, text, 2 * WIDTH, MPI_CHAR, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * WIDTH; i++)
        mix(text[i]);
    if (rank == 0)
        printf("%s", text);
    MPI_File_set_view(f, 1, MPI_INT, MPI_INT, "digits", MPI_INFO_NULL);
#pragma pc3 checkpoint
    show_all("no number", class_of(MPI_File_read_at(f, 0, back, 1, MPI_INT, &status)) == MPI_ERR_CONVERSION);
    MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "raw", MPI_INFO_NULL);
    show_all("other extents", class_of(MPI_File_read_at(f, 0, back, 1, MPI_INT, &status)) == MPI_ERR_CONVERSION);

    /* A long takes four bytes. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_size(f, 0);
    MPI_File_set_view(f, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL);
    long some[3] = {rank, -1000000 * rank, 7}, again[4] = {0};
    MPI_File_write_at_all(f, 3 * rank, some, 3, MPI_LONG, &status);
#pragma pc3 checkpoint
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_size(f, &at);
    MPI_File_read_at(f, 3 * ranks - 2 - rank, again, 4, MPI_LONG, &status);
    MPI_Get_count(&status, MPI_LONG, &count);
    show_all("longs", (int)(again[0] + again[1] * 10 + again[2] * 100 + at * 1000 + count));
    if (sizeof(long) > 4)
        some[0] = (long)5e9;
    int wide = MPI_File_write_at(f, 0, some, 1, MPI_LONG, &status);
    show_all("too wide", sizeof(long) == 4 || class_of(wide) == MPI_ERR_CONVERSION);
    MPI_Type_free(&column);
    MPI_Type_free(&told.spread);
    MPI_File_close(&f);
    if (rank == 0)
        MPI_File_delete("mpi_representations.file", MPI_INFO_NULL);
    return mpi_finish();
}
