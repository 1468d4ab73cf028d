/* pc3-test: mpi ranks=6 */
/* Groups across locations: included, excluded, ranges, set operations, translated, and the
 * communicators made of them. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Group world, some, rest, even, both, either, only;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int members[3] = {4, 0, 3}, range[1][3] = {{0, ranks - 1, 2}};
    MPI_Group_incl(world, 3, members, &some);
#pragma pc3 checkpoint
    MPI_Group_excl(world, 3, members, &rest);
    MPI_Group_range_incl(world, 1, range, &even);
    MPI_Group_intersection(some, even, &both);
    MPI_Group_union(even, some, &either);
    MPI_Group_difference(even, some, &only);
#pragma pc3 checkpoint
    MPI_Group *all[] = {&some, &rest, &even, &both, &either, &only};
    for (int i = 0; i < 6; i++) {
        int size, mine, first = 0, in_world;
        MPI_Group_size(*all[i], &size);
        MPI_Group_rank(*all[i], &mine);
        MPI_Group_translate_ranks(*all[i], 1, &first, world, &in_world);
#pragma pc3 checkpoint
        show_all("group", size * 100 + (mine == MPI_UNDEFINED ? 9 : mine) * 10 + in_world);
        MPI_Comm comm;
        MPI_Comm_create(MPI_COMM_WORLD, *all[i], &comm);
#pragma pc3 checkpoint
        int total = -1;
        if (comm != MPI_COMM_NULL) {
            MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, comm);
            MPI_Comm_free(&comm);
        }
        show_all("total", total);
    }
    int same, similar, different;
    MPI_Group_compare(world, world, &same);
    MPI_Group_compare(some, rest, &different);
    MPI_Group again;
    int order[3] = {2, 1, 0};
    MPI_Group_incl(some, 3, order, &again);
#pragma pc3 checkpoint
    MPI_Group_compare(again, some, &similar);
    show_all("compare", (same == MPI_IDENT) * 100 + (similar == MPI_SIMILAR) * 10 + (different == MPI_UNEQUAL));
    MPI_Group_free(&again);
    for (int i = 0; i < 6; i++)
        MPI_Group_free(all[i]);
    MPI_Group_free(&world);
    return mpi_finish();
}
