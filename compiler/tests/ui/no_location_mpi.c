#include <mpi.h>
#include <stdlib.h>

char *room(size_t n) {
    return malloc(n + sizeof(int) + sizeof(double));
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    char *a = room(12);
    long at = (long)a;
    MPI_Finalize();
    return at == 0;
}
