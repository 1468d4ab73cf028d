/* pc3-test: mpi ranks=2 */
/* Addresses that MPI_Get_address gave, kept in numbers over a location: they are addresses, wherever things lie then. */
#include "mpi_check.h"

struct particle {
    int kind;
    double place[3];
};

static MPI_Aint of_static;
static struct particle fixed;

int main(int argc, char **argv)
{
    int rank, one = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct particle *p = malloc(sizeof *p), *q = malloc(sizeof *q);
    MPI_Aint absolute[2], of_one, again, start;
    MPI_Aint *block = malloc(2 * sizeof *block);
    *p = (struct particle){rank + 1, {.5, 1.5 * rank, 2}};
    *q = *p;
    MPI_Get_address(&p->kind, &absolute[0]);
    MPI_Get_address(p->place, &absolute[1]);
    MPI_Get_address(&one, &of_one);
    MPI_Get_address(&fixed, &of_static);
    MPI_Get_address(q, block + 1);
    MPI_Get_address(p, block);
    start = 0;
    MPI_Get_address(q, &start);
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        int lengths[2] = {1, 3};
        MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, whole;
        MPI_Type_create_struct(2, lengths, absolute, types, &whole);
        MPI_Type_commit(&whole);
        MPI_Sendrecv_replace(MPI_BOTTOM, 1, whole, 1 - rank, 3, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_free(&whole);
        show_all("kind", p->kind);
        show_all("place", (int)(p->place[1] * 2));
        MPI_Get_address(&one, &again);
        show_all("one", again == of_one && *(int *)of_one == 5);
        MPI_Get_address(&fixed, &again);
        show_all("static", again == of_static);
        show_all("block", (struct particle *)block[0] == p && (struct particle *)block[1] == q);
        show_all("start", ((struct particle *)start)->kind == rank + 1);
        one = 5;
    }
    free(block);
    return mpi_finish();
}
