/* pc3-test: mpi ranks=4 */
/* MPI_Sendrecv_replace where the type has absolute addresses, gaps, elements of several kinds, or goes backwards. */
#include "mpi_check.h"

#include <stddef.h>

struct mixed {
    char c;
    double d;
    short s[3];
};

static int here[2];

int main(int argc, char **argv)
{
    int rank, ranks, local[2], *heap = malloc(2 * sizeof *heap);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    struct mixed m[3], n[3] = {{0}};
    int back[6];
    for (int i = 0; i < 2; i++) {
        here[i] = 100 * rank + i;
        heap[i] = 1000 * rank + i;
        local[i] = 10000 * rank + i;
    }
    for (int i = 0; i < 3; i++)
        m[i] = (struct mixed){(char)('a' + rank), rank + i / 8.0, {(short)rank, (short)i, -1}};
    for (int i = 0; i < 6; i++)
        back[i] = 10 * rank + i;

    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        MPI_Datatype kinds[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, made, whole, backwards;
        int lengths[3] = {1, 1, 2};
        MPI_Aint places[3] = {offsetof(struct mixed, c), offsetof(struct mixed, d), offsetof(struct mixed, s)};
        MPI_Type_create_struct(3, lengths, places, kinds, &made);
        MPI_Type_create_resized(made, 0, sizeof(struct mixed), &whole);
        MPI_Type_commit(&whole);
        MPI_Type_vector(3, 1, -2, MPI_INT, &backwards);
        MPI_Type_commit(&backwards);
        MPI_Datatype bottom, ints[3] = {MPI_INT, MPI_INT, MPI_INT};
        int twos[3] = {2, 2, 2};
        MPI_Aint at[3];
        MPI_Status status;
        int count;
        MPI_Get_address(here, &at[0]);
        MPI_Get_address(heap, &at[1]);
        MPI_Get_address(local, &at[2]);
        MPI_Type_create_struct(3, twos, at, ints, &bottom);
        MPI_Type_commit(&bottom);
        MPI_Sendrecv_replace(MPI_BOTTOM, 1, bottom, next, i, last, i, MPI_COMM_WORLD, &status);
        MPI_Get_elements(&status, bottom, &count);
        MPI_Type_free(&bottom);
        show_all("here", here[0] + here[1]);
        show_all("heap", heap[0] + heap[1]);
        show_all("local", local[0] + local[1] + count);
        memcpy(n, m, sizeof n);
        MPI_Sendrecv_replace(n, 3, whole, next, i, last, i, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, whole, &count);
        memcpy(m, n, sizeof m);
        show_all("mixed", (int)(m[2].c + 8 * m[1].d + m[2].s[0] + m[2].s[1] + m[0].s[2]) + count);
        MPI_Sendrecv_replace(back + 4, 1, backwards, last, i, next, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        show_all("back", back[0] + 3 * back[1] + 5 * back[2] + 7 * back[4]);
        MPI_Type_free(&made);
        MPI_Type_free(&whole);
        MPI_Type_free(&backwards);
    }
    free(heap);
    return mpi_finish();
}
