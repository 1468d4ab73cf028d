/* pc3-test: mpi ranks=6 */
/* Communicators made before locations and used after them: duplicates, splits by colour and
 * key, splits of splits, Cartesian grids and their parts. */
#include "mpi_check.h"

static MPI_Comm everybody;

static int sum_over(MPI_Comm comm, int value)
{
    int total;
    MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, comm);
    return total;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &everybody);
    MPI_Comm parity, reversed, some, grid, lines[2];
    MPI_Comm_split(everybody, rank % 2, -rank, &parity);
#pragma pc3 checkpoint
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &reversed);
    MPI_Comm_split(parity, rank < 2 ? MPI_UNDEFINED : 1, rank, &some);
    int dims[2] = {0, 0}, periodic[2] = {1, 0}, coords[2], keep[2];
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(everybody, 2, dims, periodic, 0, &grid);
    for (int d = 0; d < 2; d++) {
        keep[d] = 1;
        keep[1 - d] = 0;
        MPI_Cart_sub(grid, keep, &lines[d]);
#pragma pc3 checkpoint
    }
    for (int step = 0; step < 4; step++) {
        int where, back, previous, next;
        MPI_Comm_rank(parity, &where);
        show_all("parity", where * 100 + sum_over(parity, rank + step));
#pragma pc3 checkpoint
        MPI_Comm_rank(reversed, &back);
        MPI_Cart_coords(grid, rank, 2, coords);
        MPI_Cart_shift(grid, 0, 1, &previous, &next);
        show_all("reversed", back);
        show_all("grid", coords[0] * 1000 + coords[1] * 100 + previous * 10 + next);
        MPI_Cart_shift(grid, 1, 1, &previous, &next);
        show_all("edge", (previous == MPI_PROC_NULL) * 10 + (next == MPI_PROC_NULL));
        int message = rank * 10 + step, received = -1;
        MPI_Sendrecv(&message, 1, MPI_INT, next, 0, &received, 1, MPI_INT, previous, 0, grid, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        show_all("shifted", received);
        show_all("lines", sum_over(lines[0], rank) * 100 + sum_over(lines[1], rank));
        show_all("some", some == MPI_COMM_NULL ? -1 : sum_over(some, rank));
        /* One that lives for one step only. */
        MPI_Comm temporary;
        MPI_Comm_split(reversed, (rank + step) % 3, 0, &temporary);
#pragma pc3 checkpoint
        show_all("temporary", sum_over(temporary, rank));
        MPI_Comm_free(&temporary);
    }
    int same, similar;
    MPI_Comm_compare(MPI_COMM_WORLD, everybody, &same);
    MPI_Comm_compare(everybody, reversed, &similar);
    show_all("compare", (same == MPI_CONGRUENT) * 10 + (similar == MPI_SIMILAR));
    MPI_Comm_free(&parity);
    MPI_Comm_free(&reversed);
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
    MPI_Comm_free(&lines[0]);
    MPI_Comm_free(&lines[1]);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&everybody);
    return mpi_finish();
}
