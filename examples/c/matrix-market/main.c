/* pc3-test: mpi ranks=4 args=matrices/laplace-20x15.mtx */
/* Solves A x = b by conjugate gradients for a symmetric positive definite matrix in a Matrix
 * Market coordinate file; b = A (1, ..., 1), so the solution is known.
 *
 * Usage: matrix-market FILE [TOLERANCE]: relative residual to reach (default 1e-10).
 *
 * Rank 0 reads the file; every rank gets a block of rows.  Vectors are distributed alike, and
 * gathered for each product. */
#include "matrix.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPORT = 5 };

static struct {
    int ranks, rank;
    int n;                /* of the whole matrix */
    int *first, *count;   /* rows of every rank */
    struct matrix block;  /* this rank's rows, with all columns */
    double *whole;        /* a gathered vector */
} job;

static double *new_vector(int n)
{
    double *v = must_have(malloc(((size_t)n + 1) * sizeof *v));
    for (int i = 0; i < n; i++)
        v[i] = 0;
    return v;
}

/* Rank 0's matrix in blocks of rows to all. */
static void distribute(const struct matrix *matrix)
{
    MPI_Bcast(&job.n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    size_t ranks = (size_t)job.ranks;
    job.first = must_have(malloc((ranks + 1) * sizeof *job.first));
    job.count = must_have(malloc(ranks * sizeof *job.count));
    for (int r = 0; r <= job.ranks; r++)
        job.first[r] = (int)((long long)job.n * r / job.ranks);
    for (int r = 0; r < job.ranks; r++)
        job.count[r] = job.first[r + 1] - job.first[r];

    int rows = job.count[job.rank];
    struct matrix *block = &job.block;
    int *lengths = NULL, *own_lengths = must_have(malloc(((size_t)rows + 1) * sizeof *own_lengths));
    int *element_first = must_have(malloc(ranks * sizeof(int))), *elements = must_have(malloc(ranks * sizeof(int)));
    if (job.rank == 0) {
        lengths = must_have(malloc((size_t)job.n * sizeof *lengths));
        for (int row = 0; row < job.n; row++)
            lengths[row] = matrix->start[row + 1] - matrix->start[row];
        for (int r = 0; r < job.ranks; r++) {
            element_first[r] = matrix->start[job.first[r]];
            elements[r] = matrix->start[job.first[r + 1]] - element_first[r];
        }
    }
    MPI_Scatterv(lengths, job.count, job.first, MPI_INT, own_lengths, rows, MPI_INT, 0, MPI_COMM_WORLD);
    block->rows = rows;
    block->columns = job.n;
    block->start = must_have(malloc(((size_t)rows + 1) * sizeof *block->start));
    block->start[0] = 0;
    for (int row = 0; row < rows; row++)
        block->start[row + 1] = block->start[row] + own_lengths[row];
    int own = block->start[rows];
    block->column = must_have(malloc(((size_t)own + 1) * sizeof *block->column));
    block->value = must_have(malloc(((size_t)own + 1) * sizeof *block->value));
    MPI_Scatterv(matrix->column, elements, element_first, MPI_INT, block->column, own, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(matrix->value, elements, element_first, MPI_DOUBLE, block->value, own, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    job.whole = new_vector(job.n);
    free(lengths);
    free(own_lengths);
    free(element_first);
    free(elements);
}

static void multiply(const double *in, double *out)
{
    int rows = job.block.rows;
    MPI_Allgatherv(in, rows, MPI_DOUBLE, job.whole, job.count, job.first, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int k = job.block.start[row]; k < job.block.start[row + 1]; k++)
            sum += job.block.value[k] * job.whole[job.block.column[k]];
        out[row] = sum;
    }
}

static double dot(const double *a, const double *b)
{
    double sum = 0, total;
    for (int i = 0; i < job.block.rows; i++)
        sum += a[i] * b[i];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

/* Solves A x = b from x = 0; returns the iterations taken, or 0 if that is impossible. */
static int solve(const double *b, double *x, double tolerance)
{
    int rows = job.block.rows, iteration = 0;
    double *r = new_vector(rows), *p = new_vector(rows), *q = new_vector(rows);
    for (int i = 0; i < rows; i++)
        r[i] = p[i] = b[i];
    double rho = dot(r, r), start = sqrt(rho), residual = start;
    int definite = 1;
    while (residual > tolerance * start && definite && iteration < 10 * job.n) {
#pragma pc3 checkpoint
        multiply(p, q);
        double curvature = dot(p, q), alpha = rho / curvature, previous = rho;
        definite = curvature > 0;
        for (int i = 0; i < rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        for (int i = 0; i < rows; i++)
            p[i] = r[i] + rho / previous * p[i];
        residual = sqrt(rho);
        if (++iteration % REPORT == 0 && job.rank == 0)
            printf("iteration %4d: residual %.17g\n", iteration, residual);
    }
    if (job.rank == 0 && !definite)
        fprintf(stderr, "the matrix is not positive definite\n");
    else if (job.rank == 0)
        printf("iterations %d, residual %.17g\n", iteration, residual);
    free(r);
    free(p);
    free(q);
    return definite && residual <= tolerance * start;
}

static int run(double tolerance)
{
    int rows = job.block.rows;
    double *x = new_vector(rows), *b = new_vector(rows), error = 0, worst;
    for (int i = 0; i < rows; i++)
        x[i] = 1;
    multiply(x, b);
    for (int i = 0; i < rows; i++)
        x[i] = 0;
    int ok = solve(b, x, tolerance);
    for (int i = 0; i < rows; i++)
        error = fabs(x[i] - 1) > error ? fabs(x[i] - 1) : error;
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    /* The error may exceed the residual by the condition number. */
    ok = ok && worst <= 1e4 * tolerance;
    if (job.rank == 0)
        printf("largest error %.17g\nVERIFICATION %s\n", worst, ok ? "SUCCESSFUL" : "FAILED");
    free(x);
    free(b);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);

    struct matrix matrix = {0, 0, NULL, NULL, NULL};
    char message[512] = "usage: matrix-market FILE [TOLERANCE]", *end = "";
    double tolerance = argc > 2 ? strtod(argv[2], &end) : 1e-10;
    int status = 2;
    if (job.rank == 0 && (argc == 2 || argc == 3) && !*end && tolerance > 0 &&
        read_matrix(argv[1], &matrix, message, sizeof message))
        status = 0;
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (status != 0) {
        if (job.rank == 0)
            fprintf(stderr, "%s\n", message);
        MPI_Finalize();
        return status;
    }
    if (job.rank == 0)
        printf("%d rows, %d elements\n", matrix.rows, matrix.start[matrix.rows]);
    job.n = matrix.rows;
    distribute(&matrix);
    free_matrix(&matrix);
    status = run(tolerance);
    free_matrix(&job.block);
    free(job.first);
    free(job.count);
    free(job.whole);
    MPI_Finalize();
    return status;
}
