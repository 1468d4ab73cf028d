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
    return mpi_finish();
}
