/* pc3-test: mpi ranks=4 */
/* Communicators that are made, used and freed all the time, by ranks of which one half has its locations in front of each such
 * call and the other half behind it: at most checkpoints some have entered a call before theirs, and the others behind it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 700 };

static int rank, ranks;

static double total(double x, MPI_Comm comm)
{
    double sum = 0;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
}

static double in_split(double x, int round)
{
    MPI_Comm part, copy;
    int own, size;
    MPI_Comm_split(MPI_COMM_WORLD, (rank + round) % 3 == 0 ? MPI_UNDEFINED : rank % 2, -rank, &part);
    if (part == MPI_COMM_NULL)
        return x * 0.5;
    MPI_Comm_rank(part, &own);
    MPI_Comm_size(part, &size);
    MPI_Comm_dup(part, &copy);
    x = total(x, copy) / size + own;
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
    return x;
}

static double in_groups(double x, int round)
{
    MPI_Group world, some;
    MPI_Comm made, alone;
    int list[3] = {round % 4, (round + 2) % 4, (round + 1) % 4}, own;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, list, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &made);
    if (made != MPI_COMM_NULL) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, round, &alone);
        MPI_Comm_rank(alone, &own);
        x = total(x + own, made) / 3 + total(1, alone);
        MPI_Comm_free(&alone);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    return x;
}

static double between(double x, int round)
{
    MPI_Comm half, both, merged, copy;
    double got = 0, all[4] = {0, 0, 0, 0}, root = -1;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, round, &both);
    MPI_Allreduce(&x, &got, 1, MPI_DOUBLE, MPI_SUM, both);
    MPI_Allgather(&x, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, both);
    MPI_Bcast(rank == 3 ? &x : &root, 1, MPI_DOUBLE, rank == 3 ? MPI_ROOT : rank == 2 ? MPI_PROC_NULL : 1, both);
    MPI_Comm_dup(both, &copy);
    MPI_Reduce(&x, &got, 1, MPI_DOUBLE, MPI_MAX, rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0, copy);
    MPI_Intercomm_merge(both, rank < 2, &merged);
    x = got * 0.25 + all[0] - all[1] * 0.5 + root * 0.125 + total(x, merged) * 0.0625;
    MPI_Comm_free(&merged);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    return x;
}

static double on_grids(double x, int round)
{
    MPI_Comm grid, row, graph;
    int dims[2] = {2, 2}, periods[2] = {1, 0}, keep[2] = {round % 2, (round + 1) % 2};
    int from = rank, degree = 1, to = (rank + 1 + round % 2) % ranks, weight = 1;
    double near[4] = {0, 0, 0, 0}, edge[4] = {0, 0, 0, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Neighbor_allgather(&x, 1, MPI_DOUBLE, near, 1, MPI_DOUBLE, grid);
    MPI_Cart_sub(grid, keep, &row);
    x = total(x, row) * 0.5 + near[0] * 0.25 - near[3] * 0.125;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &from, &degree, &to, &weight, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&x, 1, MPI_DOUBLE, edge, 1, MPI_DOUBLE, graph);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    return x + edge[0] * 0.5;
}

/* Under way at a location. */
static double later(double x)
{
    MPI_Comm copy;
    MPI_Request made;
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &made);
    if (rank % 2) {
#pragma pc3 checkpoint
    }
    MPI_Wait(&made, MPI_STATUS_IGNORE);
    x = total(x, copy) * 0.25 + x * 0.5 + rank;
    MPI_Comm_free(&copy);
    return x;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double x = rank + 1, all[4];
    for (int round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < 5; kind++) {
            if (rank % 2 == 0) {
#pragma pc3 checkpoint
            }
            if (kind == 0)
                x = in_split(x, round);
            else if (kind == 1)
                x = in_groups(x, round);
            else if (kind == 2)
                x = between(x, round);
            else if (kind == 3)
                x = on_grids(x, round);
            else
                x = later(x);
            if (x > 1000 || x < -1000)
                x *= 0.0078125;
            if (rank % 2 == 1) {
#pragma pc3 checkpoint
            }
        }
    MPI_Gather(&x, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("%d %.17g\n", r, all[r]);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
