// run: --emit=c sent_as_characters.c -o ROOT/program
/* Numbers that are sent as characters. */
#include <mpi.h>

struct task {
    int id;
    double value;
};

int main(int argc, char **argv)
{
    struct task task = {1, 2.5}, *tasks = &task;
    double numbers[4] = {0};
    char text[16] = "text", packed[64];
    int at = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&task, sizeof task, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Send((char *)numbers, sizeof numbers, MPI_UNSIGNED_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Pack(tasks, sizeof *tasks, MPI_BYTE, packed, 64, &at, MPI_COMM_WORLD);
        /* As what they are, or what pc3 knows. */
        MPI_Send(text, 16, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&task, sizeof task, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Pack(numbers, 4, MPI_DOUBLE, packed, 64, &at, MPI_COMM_WORLD);
        MPI_Send(packed, at, MPI_PACKED, 1, 1, MPI_COMM_WORLD);
    }
#pragma pc3 checkpoint
    return MPI_Finalize();
}
