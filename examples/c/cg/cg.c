/* pc3-test: mpi ranks=16 args=S */
/* NAS kernel CG: smallest eigenvalue of a large sparse random matrix by inverse iteration,
 * each step solved by 25 iterations of conjugate gradients.
 *
 * Ranks form a grid of `rows` x `cols` (cols = rows or 2 rows); rank (i, j) holds the block
 * of rows R_i and columns C_j.  Vectors are distributed by columns: every rank of grid column
 * j has the piece C_j.  A product sums its parts along the grid row, which leaves R_i there;
 * one exchange with a partner turns R_i into C_j. */
#include "../npb/npb.h"

#include <math.h>

enum { INNER = 25 };

static const struct {
    int n, nonzeros, iterations;
    double shift, zeta;
} classes[] = {
    {1400, 7, 15, 10, 8.5971775078648},
    {7000, 8, 15, 12, 10.362595087124},
    {14000, 11, 15, 20, 17.130235054029},
};
static const double rcond = 0.1;

static struct {
    int rows, cols;             /* the grid */
    int row, col;               /* this rank in it */
    int row_first, row_count;   /* R_row */
    int col_first, col_count;   /* C_col */
    int partner;                /* has C_col after a product, wants a piece of R_row */
    int give_first, give_count; /* that piece, relative to row_first */
    MPI_Comm along_row;
} grid;

/* This rank's block in compressed rows, indices relative to the block. */
static struct {
    int *start, *column;
    double *value;
} matrix;

/* The sparse random vectors whose outer products make up the matrix. */
struct vectors {
    int width;
    int *count;
    int *index;
    double *value;
};

struct element {
    int row, column;
    double value;
};

static void *allocate(size_t count, size_t size)
{
    void *block = malloc((count ? count : 1) * size);
    if (!block) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return block;
}

/* First column of C_col; R_row starts where its first C does. */
static int col_start(int n, int col)
{
    return (int)((int64_t)n * col / grid.cols);
}

static void make_grid(int n, int ranks, int rank)
{
    grid.rows = 1;
    while (grid.rows * grid.rows * 4 <= ranks)
        grid.rows *= 2;
    grid.cols = ranks / grid.rows;
    grid.row = rank / grid.cols;
    grid.col = rank % grid.cols;

    int pieces = grid.cols / grid.rows;
    grid.row_first = col_start(n, grid.row * pieces);
    grid.row_count = col_start(n, (grid.row + 1) * pieces) - grid.row_first;
    grid.col_first = col_start(n, grid.col);
    grid.col_count = col_start(n, grid.col + 1) - grid.col_first;

    /* The relation is its own inverse, so partners swap pieces. */
    int partner_row = grid.col / pieces, partner_col = grid.row * pieces + grid.col % pieces;
    grid.partner = partner_row * grid.cols + partner_col;
    grid.give_first = col_start(n, partner_col) - grid.row_first;
    grid.give_count = col_start(n, partner_col + 1) - col_start(n, partner_col);
    MPI_Comm_split(MPI_COMM_WORLD, grid.row, grid.col, &grid.along_row);
}

/* Vector i has `nonzeros` random elements at random places, and 0.5 at place i. */
static void make_vectors(int n, int nonzeros, struct vectors *vectors)
{
    int width = nonzeros + 1, power = 1;
    vectors->width = width;
    vectors->count = allocate(n, sizeof *vectors->count);
    vectors->index = allocate((size_t)n * width, sizeof *vectors->index);
    vectors->value = allocate((size_t)n * width, sizeof *vectors->value);
    while (power < n)
        power *= 2;

    uint64_t x = NPB_SEED;
    npb_random(&x, NPB_MULT); /* the benchmark draws its first zeta and drops it */
    for (int i = 0; i < n; i++) {
        int *index = vectors->index + (size_t)i * width, count = 0;
        double *value = vectors->value + (size_t)i * width;
        while (count < nonzeros) {
            double element = npb_random(&x, NPB_MULT);
            int place = (int)(power * npb_random(&x, NPB_MULT)), seen = place >= n;
            for (int k = 0; k < count && !seen; k++)
                seen = index[k] == place;
            if (seen)
                continue;
            index[count] = place;
            value[count++] = element;
        }
        int k = 0;
        while (k < count && index[k] != i)
            k++;
        index[k] = i;
        value[k] = 0.5;
        vectors->count[i] = k == count ? count + 1 : count;
    }
}

/* rcond^(1/n): exp of a small number, whose series is the same on every machine. */
static double nth_root_of_rcond(int n)
{
    double x = -2.302585092994045684 / n, term = 1, sum = 1; /* log 0.1 */
    for (int k = 1; k < 12; k++) {
        term = term * x / k;
        sum += term;
    }
    return sum;
}

/* The elements of this rank's block, duplicates included; returns how many (out may be null). */
static size_t list_elements(int n, double shift, const struct vectors *vectors, struct element *out)
{
    size_t found = 0;
    double size = 1, ratio = nth_root_of_rcond(n);
    for (int i = 0; i < n; i++) {
        const int *index = vectors->index + (size_t)i * vectors->width;
        const double *value = vectors->value + (size_t)i * vectors->width;
        for (int c = 0; c < vectors->count[i]; c++) {
            int column = index[c] - grid.col_first;
            if (column < 0 || column >= grid.col_count)
                continue;
            double scale = size * value[c];
            for (int r = 0; r < vectors->count[i]; r++) {
                int row = index[r] - grid.row_first;
                if (row < 0 || row >= grid.row_count)
                    continue;
                if (out)
                    out[found] = (struct element){row, column, value[r] * scale};
                found++;
            }
        }
        size *= ratio;
    }
    for (int i = 0; i < n; i++) {
        int row = i - grid.row_first, column = i - grid.col_first;
        if (row < 0 || row >= grid.row_count || column < 0 || column >= grid.col_count)
            continue;
        if (out)
            out[found] = (struct element){row, column, rcond - shift};
        found++;
    }
    return found;
}

/* Stable counting sort by row or column, then duplicates are added up in their first order. */
static void sort_elements(const struct element *in, size_t count, int by_row, int keys, struct element *out)
{
    size_t *next = allocate((size_t)keys + 1, sizeof *next);
    for (int k = 0; k <= keys; k++)
        next[k] = 0;
    for (size_t e = 0; e < count; e++)
        next[(by_row ? in[e].row : in[e].column) + 1]++;
    for (int k = 0; k < keys; k++)
        next[k + 1] += next[k];
    for (size_t e = 0; e < count; e++)
        out[next[by_row ? in[e].row : in[e].column]++] = in[e];
    free(next);
}

static void make_matrix(int n, int nonzeros, double shift)
{
    struct vectors vectors;
    make_vectors(n, nonzeros, &vectors);
    size_t count = list_elements(n, shift, &vectors, NULL);
    struct element *one = allocate(count, sizeof *one), *two = allocate(count, sizeof *two);
    list_elements(n, shift, &vectors, one);
    free(vectors.count);
    free(vectors.index);
    free(vectors.value);

    sort_elements(one, count, 0, grid.col_count, two);
    sort_elements(two, count, 1, grid.row_count, one);
    free(two);
    size_t kept = 0;
    for (size_t e = 0; e < count; e++) {
        if (kept && one[kept - 1].row == one[e].row && one[kept - 1].column == one[e].column)
            one[kept - 1].value += one[e].value;
        else
            one[kept++] = one[e];
    }
    matrix.start = allocate((size_t)grid.row_count + 1, sizeof *matrix.start);
    matrix.column = allocate(kept, sizeof *matrix.column);
    matrix.value = allocate(kept, sizeof *matrix.value);
    size_t e = 0;
    for (int row = 0; row < grid.row_count; row++) {
        matrix.start[row] = (int)e;
        for (; e < kept && one[e].row == row; e++) {
            matrix.column[e] = one[e].column;
            matrix.value[e] = one[e].value;
        }
    }
    matrix.start[grid.row_count] = (int)e;
    free(one);
}

/* out = A in, both distributed by columns. */
static void multiply(const double *in, double *out, double *part, double *whole)
{
    const int *restrict column = matrix.column;
    const double *restrict value = matrix.value;
    for (int row = 0; row < grid.row_count; row++) {
        double sum = 0;
        for (int k = matrix.start[row]; k < matrix.start[row + 1]; k++)
            sum += value[k] * in[column[k]];
        part[row] = sum;
    }
    if (grid.cols > 1)
        MPI_Allreduce(part, whole, grid.row_count, MPI_DOUBLE, MPI_SUM, grid.along_row);
    else
        whole = part;
    MPI_Sendrecv(whole + grid.give_first, grid.give_count, MPI_DOUBLE, grid.partner, 0, out, grid.col_count, MPI_DOUBLE,
                 grid.partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double dot(const double *a, const double *b)
{
    double sum = 0, total;
    for (int i = 0; i < grid.col_count; i++)
        sum += a[i] * b[i];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, grid.along_row);
    return total;
}

struct work {
    double *x, *z, *p, *q, *r, *part, *whole;
};

/* Solves A z = x roughly; returns ||x - A z||. */
static double solve(const struct work *w)
{
    int n = grid.col_count;
    double *x = w->x, *z = w->z, *p = w->p, *q = w->q, *r = w->r;
    for (int i = 0; i < n; i++) {
        z[i] = 0;
        r[i] = x[i];
        p[i] = x[i];
    }
    double rho = dot(r, r);
    for (int k = 0; k < INNER; k++) {
        multiply(p, q, w->part, w->whole);
        double alpha = rho / dot(p, q), previous = rho;
        for (int i = 0; i < n; i++) {
            z[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        double beta = rho / previous;
        for (int i = 0; i < n; i++)
            p[i] = r[i] + beta * p[i];
    }
    multiply(z, q, w->part, w->whole);
    for (int i = 0; i < n; i++)
        r[i] = x[i] - q[i];
    return sqrt(dot(r, r));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int class = npb_class(argc, argv), ranks = npb_ranks(1024), rank;
    int n = classes[class].n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_grid(n, ranks, rank);
    make_matrix(n, classes[class].nonzeros, classes[class].shift);

    struct work work;
    double **vectors[] = {&work.x, &work.z, &work.p, &work.q, &work.r};
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
        *vectors[v] = allocate(grid.col_count, sizeof(double));
    work.part = allocate(grid.row_count, sizeof(double));
    work.whole = allocate(grid.row_count, sizeof(double));
    for (int i = 0; i < grid.col_count; i++)
        work.x[i] = 1;

    double zeta = 0;
    npb_timed(1);
    for (int iteration = 1; iteration <= classes[class].iterations; iteration++) {
#pragma pc3 checkpoint
        double residual = solve(&work);
        double xz = dot(work.x, work.z), scale = 1 / sqrt(dot(work.z, work.z));
        zeta = classes[class].shift + 1 / xz;
        for (int i = 0; i < grid.col_count; i++)
            work.x[i] = scale * work.z[i];
        if (rank == 0)
            printf("iteration %2d: residual %.17g, zeta %.17g\n", iteration, residual, zeta);
    }
    npb_timed(0);
    int status = npb_verdict("CG", class, npb_close(zeta, classes[class].zeta, 1e-10));

    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
        free(*vectors[v]);
    free(work.part);
    free(work.whole);
    free(matrix.start);
    free(matrix.column);
    free(matrix.value);
    MPI_Comm_free(&grid.along_row);
    MPI_Finalize();
    return status;
}
