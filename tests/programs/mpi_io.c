/* pc3-test: mpi ranks=4 */
/* Files: own and shared pointers, views, sequential ones, and locations while they are open; external32 reads alike everywhere. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File plain, striped, log;
    MPI_Datatype stripe, part;
    MPI_Offset at;
    MPI_Status status;
    int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    MPI_File_open(MPI_COMM_WORLD, "mpi_io.plain", amode, MPI_INFO_NULL, &plain);
    MPI_File_open(MPI_COMM_WORLD, "mpi_io.striped", amode, MPI_INFO_NULL, &striped);
    MPI_File_set_size(plain, 0);
    MPI_File_set_size(striped, 0);
    MPI_File_set_view(plain, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    /* Each rank sees every fourth pair of integers. */
    MPI_Type_contiguous(2, MPI_INT, &part);
    MPI_Type_create_resized(part, 0, 8 * ranks, &stripe);
    MPI_Type_commit(&stripe);
    MPI_File_set_view(striped, 8 + 8 * rank, MPI_INT, stripe, "external32", MPI_INFO_NULL);
    MPI_Type_free(&part);
    MPI_File_open(MPI_COMM_WORLD, "mpi_io.log", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &log);
    MPI_File_set_view(log, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
#pragma pc3 checkpoint
    for (int step = 0; step < 4; step++) {
        int pair[3] = {rank * 100 + step, step, rank}, count;
        char line[8] = "a0\n ";
        line[0] += rank;
        line[1] += step;
        MPI_File_write_ordered(log, line, 3, MPI_CHAR, &status);
        if (step == 2) {
            /* What comes next begins behind what all have written. */
            MPI_File_set_view(log, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
            MPI_File_get_position_shared(log, &at);
            show_all("begins anew", (int)at);
        }
        MPI_File_write_ordered(plain, pair, 2, MPI_INT, &status);
        MPI_File_write_all(striped, pair, 3, MPI_INT, &status);
        MPI_Get_count(&status, MPI_INT, &count);
#pragma pc3 checkpoint
        MPI_Offset own, shared, size;
        MPI_File_get_position(striped, &own);
        MPI_File_get_position_shared(plain, &shared);
        /* The size is asked for when nobody writes. */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_get_size(plain, &size);
        MPI_Barrier(MPI_COMM_WORLD);
        show_all("positions", (int)(own * 10000 + shared * 100 + size + count));
        if (rank == step) {
            int word = 1000 + step;
            MPI_File_write_shared(plain, &word, 1, MPI_INT, &status);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    int back[64], count, mix_all = 0;
    MPI_File_seek(striped, 0, MPI_SEEK_SET);
#pragma pc3 checkpoint
    MPI_File_read(striped, back, 64, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < count; i++)
        mix_all = mix_all * 31 + back[i];
    show_all("mine", mix_all * 100 + count);
    MPI_Request request;
    MPI_File_iread_at(plain, rank, back, 8, MPI_INT, &request);
    MPI_Wait(&request, &status);
    mix_all = 0;
    for (int i = 0; i < 8; i++)
        mix_all = mix_all * 31 + back[i];
    show_all("plain", mix_all);
    MPI_Type_free(&stripe);
    MPI_File_close(&striped);
    MPI_File_close(&plain);
    MPI_File_close(&log);
    MPI_File_open(MPI_COMM_WORLD, "mpi_io.log", MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &log);
    char text[16] = {0};
    MPI_File_read_ordered(log, text, 12, MPI_CHAR, &status);
    mix_all = 0;
    for (int i = 0; i < 12; i++)
        mix_all = mix_all * 31 + text[i];
    show_all("log", mix_all);
    MPI_File_close(&log);
    if (rank == 0) {
        MPI_File_delete("mpi_io.log", MPI_INFO_NULL);
        MPI_File_delete("mpi_io.striped", MPI_INFO_NULL);
        MPI_File_delete("mpi_io.plain", MPI_INFO_NULL);
    }
    return mpi_finish();
}
