/* pc3-test: mpi ranks=4 */
/* Windows with fences and with post, start, complete and wait: halos, sums in columns, a window of structs; locations within epochs. */
#include "mpi_check.h"

enum { rows = 6, columns = 5 };

struct cell {
    long hits;
    double weight;
    short from;
};

/* The rows above and below come from the neighbours. */
static void exchange_by_fence(long (*grid)[columns], MPI_Win window, int up, int down)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(grid[1], columns, MPI_LONG, down, (rows + 1) * columns, columns, MPI_LONG, window);
#pragma pc3 checkpoint
    MPI_Get(grid[rows + 1], columns, MPI_LONG, up, columns, columns, MPI_LONG, window);
    MPI_Put(grid[rows], columns, MPI_LONG, up, 0, columns, MPI_LONG, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static void exchange_by_groups(long (*grid)[columns], MPI_Win window, MPI_Group neighbours, int up, int down)
{
    MPI_Win_post(neighbours, 0, window);
#pragma pc3 checkpoint
    MPI_Win_start(neighbours, 0, window);
    MPI_Put(grid[1], columns, MPI_LONG, down, (rows + 1) * columns, columns, MPI_LONG, window);
#pragma pc3 checkpoint
    MPI_Put(grid[rows], columns, MPI_LONG, up, 0, columns, MPI_LONG, window);
    MPI_Win_complete(window);
#pragma pc3 checkpoint
    MPI_Win_wait(window);
}

int main(int argc, char **argv)
{
    int rank, ranks, unit, *found, set;
    long (*grid)[columns];
    struct cell *cells, mine;
    double totals[4] = {0, 0, 0, 0};
    MPI_Win window, heap, local;
    MPI_Group all, neighbours;
    MPI_Datatype column, cell;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;

    MPI_Win_allocate((rows + 2) * sizeof *grid, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &grid, &window);
    MPI_Win_set_name(window, "grid");
    cells = calloc(ranks, sizeof *cells);
    if (!cells)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_create(cells, ranks * sizeof *cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &heap);
    MPI_Win_create(totals, sizeof totals, sizeof *totals, MPI_INFO_NULL, MPI_COMM_WORLD, &local);

    int near[2], n = 0;
    if (down != MPI_PROC_NULL)
        near[n++] = down;
    if (up != MPI_PROC_NULL)
        near[n++] = up;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, n, near, &neighbours);
    MPI_Group_free(&all);
    MPI_Type_vector(rows, 1, columns, MPI_LONG, &column);
    MPI_Type_commit(&column);
    MPI_Type_contiguous((int)sizeof(struct cell), MPI_BYTE, &cell);
    MPI_Type_commit(&cell);

    for (int i = 0; i < rows + 2; i++)
        for (int j = 0; j < columns; j++)
            grid[i][j] = i > 0 && i <= rows ? rank * 100 + i * 10 + j : 0;
#pragma pc3 checkpoint
    for (int step = 0; step < 3; step++) {
        if (step % 2)
            exchange_by_groups(grid, window, neighbours, up, down);
        else
            exchange_by_fence(grid, window, up, down);
        for (int j = 0; j < columns; j++) {
            long above = grid[0][j];
            for (int i = 1; i <= rows; i++) {
                long here = grid[i][j];
                grid[i][j] = (above + 2 * here + grid[i + 1][j]) / 4 + step;
                above = here;
            }
        }
        /* Everybody adds a column of its own to the last one of rank 0. */
        MPI_Win_fence(0, window);
        if (rank != 0)
            MPI_Accumulate(&grid[1][step], 1, column, 0, 2 * columns - 1, 1, column, MPI_SUM, window);
#pragma pc3 checkpoint
        MPI_Win_fence(0, window);
        /* A struct to each, in its place, and a maximum in a local array. */
        mine.hits = grid[1][0];
        mine.weight = step + rank / 4.0;
        mine.from = (short)rank;
        MPI_Win_fence(0, heap);
        MPI_Win_fence(0, local);
        for (int to = 0; to < ranks; to++)
            MPI_Put(&mine, sizeof mine, MPI_BYTE, to, rank, 1, cell, heap);
        MPI_Accumulate(&mine.weight, 1, MPI_DOUBLE, (rank + 1) % ranks, step, 1, MPI_DOUBLE, MPI_MAX, local);
#pragma pc3 checkpoint
        MPI_Win_fence(0, local);
        MPI_Win_fence(0, heap);
        long sum = 0;
        for (int i = 0; i < ranks; i++)
            sum += cells[i].hits * (i + 1) + (long)(cells[i].weight * 4) + cells[i].from;
        show_all("sum", (int)sum);
        show_all("column", (int)(grid[2][columns - 1] + totals[step] * 8));
    }
    MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &found, &set);
    unit = set ? *found : 0;
    show_all("unit", unit == (int)sizeof(long));
    MPI_Type_free(&column);
    MPI_Type_free(&cell);
    MPI_Group_free(&neighbours);
    MPI_Win_free(&local);
    MPI_Win_free(&heap);
    MPI_Win_free(&window);
    free(cells);
    return mpi_finish();
}
