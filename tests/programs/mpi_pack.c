/* pc3-test: mpi ranks=2 */
/* Packed messages: packed and sent, received and unpacked, with locations between. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 4; step++) {
        int numbers[3] = {step, step * step, -step}, count, size, total = 0;
        double real = step / 4.0;
        char text[8] = "packed";
        MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &size);
        total += size;
        MPI_Pack_size(1, MPI_DOUBLE, MPI_COMM_WORLD, &size);
        total += size;
        MPI_Pack_size(8, MPI_CHAR, MPI_COMM_WORLD, &size);
        total += size;
        char *buffer = calloc((size_t)total, 1);
        if (!buffer)
            MPI_Abort(MPI_COMM_WORLD, 1);
        int position = 0;
        if (rank == 0) {
            MPI_Pack(numbers, 3, MPI_INT, buffer, total, &position, MPI_COMM_WORLD);
            MPI_Pack(&real, 1, MPI_DOUBLE, buffer, total, &position, MPI_COMM_WORLD);
            MPI_Pack(text, 8, MPI_CHAR, buffer, total, &position, MPI_COMM_WORLD);
            MPI_Send(buffer, position, MPI_PACKED, 1, step, MPI_COMM_WORLD);
#pragma pc3 checkpoint
        } else {
            MPI_Status status;
#pragma pc3 checkpoint
            MPI_Recv(buffer, total, MPI_PACKED, 0, step, MPI_COMM_WORLD, &status);
            memset(numbers, 0, sizeof numbers);
            memset(text, 0, sizeof text);
            real = 0;
            MPI_Get_count(&status, MPI_PACKED, &count);
            MPI_Unpack(buffer, count, &position, numbers, 3, MPI_INT, MPI_COMM_WORLD);
            MPI_Unpack(buffer, count, &position, &real, 1, MPI_DOUBLE, MPI_COMM_WORLD);
            MPI_Unpack(buffer, count, &position, text, 8, MPI_CHAR, MPI_COMM_WORLD);
        }
        free(buffer);
        show_all("numbers", numbers[0] * 100 + numbers[1] * 10 + numbers[2]);
        show_all("real", (int)(real * 4));
        show_all("text", (int)strlen(text) + text[0]);
#pragma pc3 checkpoint
    }
    /* The same with large counts. */
    MPI_Count room, at = 0, bytes = 0, elements = 0;
    int pair[2] = {rank + 5, rank * 3}, back[2] = {0, 0};
    char packed[64], got[64];
    MPI_Status status;
    MPI_Pack_size_c(2, MPI_INT, MPI_COMM_WORLD, &room);
    MPI_Pack_c(pair, 2, MPI_INT, packed, sizeof packed, &at, MPI_COMM_WORLD);
#pragma pc3 checkpoint
    MPI_Sendrecv_c(packed, at, MPI_PACKED, 1 - rank, 9, got, sizeof got, MPI_PACKED, 1 - rank, 9, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_PACKED, &bytes);
    MPI_Status_set_elements_c(&status, MPI_INT, 3);
    MPI_Get_elements_c(&status, MPI_INT, &elements);
    at = 0;
    MPI_Unpack_c(got, bytes, &at, back, 2, MPI_INT, MPI_COMM_WORLD);
    show_all("wide", (back[0] * 100 + back[1]) * 10 + (bytes == room) + (at == bytes) + (int)elements);
    void *attached;
    MPI_Buffer_attach_c(got, sizeof got);
    MPI_Buffer_detach_c(&attached, &room);
    show_all("attached", (attached == got) + (int)room);
    return mpi_finish();
}
