/* pc3-test: mpi ranks=16 args=96,60 */
/* The heat equation u_t = u_xx + u_yy on the unit square, zero on its boundary, by explicit
 * steps.  Ranks form a Cartesian grid and exchange the borders of their boxes.
 *
 * Usage: heat [POINTS [STEPS [INTERVAL]]]: inner points per side, steps, and steps between
 * reports (defaults 256, 200, 20).
 *
 * The start is a sum of eigenvectors of the discrete operator, so after k steps the solution
 * is known but for rounding: mode (p, q) has shrunk by
 *     (1 - 4 r (sin^2(p pi h / 2) + sin^2(q pi h / 2)))^k. */
#include <float.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const double ratio = 0.2; /* r: time step over squared mesh width, below 1/4 */
static const struct {
    int p, q;
    double amplitude;
} modes[] = {{1, 1, 1.0}, {3, 2, 0.25}, {2, 5, -0.125}};
enum { MODES = sizeof modes / sizeof *modes };

struct box {
    MPI_Comm comm;
    int points;                /* of the whole square, per side */
    int first[2], n[2];        /* this rank's inner points: row first[0] + 1 ... */
    int below, above, left, right;
    MPI_Datatype row, column;  /* of the array, without corners */
    double *now, *next;        /* (n[0] + 2) x (n[1] + 2) */
};

/* sin(pi k / n) for 0 <= k <= n / 2 by its series: the same on every machine. */
static double small_sine(long k, long n)
{
    double x = 3.141592653589793238 * k / n, square = x * x, term = x, sum = x;
    for (int j = 2; j < 30; j += 2) {
        term = -term * square / (j * (j + 1));
        sum += term;
    }
    return sum;
}

static double sine(long k, long n)
{
    k %= 2 * n;
    double sign = 1;
    if (k >= n) {
        k -= n;
        sign = -1;
    }
    return sign * small_sine(2 * k > n ? n - k : k, n);
}

/* The modes' amplitudes after `steps` steps. */
static double *make_factors(int points, int steps)
{
    double *factor = malloc(MODES * sizeof *factor);
    if (!factor)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int m = 0; m < MODES; m++) {
        double sp = sine(modes[m].p, 2L * (points + 1)), sq = sine(modes[m].q, 2L * (points + 1));
        double shrink = 1 - 4 * ratio * (sp * sp + sq * sq);
        factor[m] = modes[m].amplitude;
        for (int k = 0; k < steps; k++)
            factor[m] *= shrink;
    }
    return factor;
}

/* Value at inner point (i, j) of the whole square, counted from 1. */
static double exact(int points, const double *factor, int i, int j)
{
    double sum = 0;
    for (int m = 0; m < MODES; m++)
        sum += factor[m] * sine((long)modes[m].p * i, points + 1L) * sine((long)modes[m].q * j, points + 1L);
    return sum;
}

static inline double *cell(const struct box *b, double *u, int i, int j)
{
    return u + (size_t)i * (b->n[1] + 2) + j;
}

static void make_box(struct box *b, int points)
{
    int ranks, rank, dims[2] = {0, 0}, periodic[2] = {0, 0}, coords[2];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    if (dims[0] > points) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0)
            fprintf(stderr, "heat: %d ranks need at least %d points per side\n", ranks, dims[0]);
        MPI_Finalize();
        exit(2);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &b->comm);
    MPI_Comm_rank(b->comm, &rank);
    MPI_Cart_coords(b->comm, rank, 2, coords);
    MPI_Cart_shift(b->comm, 0, 1, &b->below, &b->above);
    MPI_Cart_shift(b->comm, 1, 1, &b->left, &b->right);
    b->points = points;
    for (int d = 0; d < 2; d++) {
        b->first[d] = (int)((long)points * coords[d] / dims[d]);
        b->n[d] = (int)((long)points * (coords[d] + 1) / dims[d]) - b->first[d];
    }
    MPI_Type_contiguous(b->n[1], MPI_DOUBLE, &b->row);
    MPI_Type_vector(b->n[0], 1, b->n[1] + 2, MPI_DOUBLE, &b->column);
    MPI_Type_commit(&b->row);
    MPI_Type_commit(&b->column);
    size_t cells = (size_t)(b->n[0] + 2) * (b->n[1] + 2);
    b->now = calloc(cells, sizeof *b->now);
    b->next = calloc(cells, sizeof *b->next);
    if (!b->now || !b->next) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void free_box(struct box *b)
{
    free(b->now);
    free(b->next);
    MPI_Type_free(&b->row);
    MPI_Type_free(&b->column);
    MPI_Comm_free(&b->comm);
}

static void exchange_borders(const struct box *b)
{
    double *u = b->now;
    int rows = b->n[0], columns = b->n[1];
    MPI_Request requests[8];
    MPI_Status statuses[8];
    MPI_Irecv(cell(b, u, 0, 1), 1, b->row, b->below, 0, b->comm, &requests[0]);
    MPI_Irecv(cell(b, u, rows + 1, 1), 1, b->row, b->above, 1, b->comm, &requests[1]);
    MPI_Irecv(cell(b, u, 1, 0), 1, b->column, b->left, 2, b->comm, &requests[2]);
    MPI_Irecv(cell(b, u, 1, columns + 1), 1, b->column, b->right, 3, b->comm, &requests[3]);
    MPI_Isend(cell(b, u, rows, 1), 1, b->row, b->above, 0, b->comm, &requests[4]);
    MPI_Isend(cell(b, u, 1, 1), 1, b->row, b->below, 1, b->comm, &requests[5]);
    MPI_Isend(cell(b, u, 1, columns), 1, b->column, b->right, 2, b->comm, &requests[6]);
    MPI_Isend(cell(b, u, 1, 1), 1, b->column, b->left, 3, b->comm, &requests[7]);
    MPI_Waitall(8, requests, statuses);
}

static void step(struct box *b)
{
    exchange_borders(b);
    for (int i = 1; i <= b->n[0]; i++) {
        const double *restrict up = cell(b, b->now, i - 1, 0), *restrict here = cell(b, b->now, i, 0);
        const double *restrict down = cell(b, b->now, i + 1, 0);
        double *restrict out = cell(b, b->next, i, 0);
        for (int j = 1; j <= b->n[1]; j++)
            out[j] = here[j] + ratio * ((up[j] + down[j]) + (here[j - 1] + here[j + 1]) - 4 * here[j]);
    }
    double *old = b->now;
    b->now = b->next;
    b->next = old;
}

/* Root mean square of the last step's change; every rank gets it. */
static double change(const struct box *b)
{
    double sum = 0, total;
    for (int i = 1; i <= b->n[0]; i++)
        for (int j = 1; j <= b->n[1]; j++) {
            double d = *cell(b, b->now, i, j) - *cell(b, b->next, i, j);
            sum += d * d;
        }
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, b->comm);
    return sqrt(total) / b->points;
}

static int argument(int argc, char **argv, int index, int fallback, int least)
{
    if (argc <= index)
        return fallback;
    char *end;
    long value = strtol(argv[index], &end, 10);
    if (*end || end == argv[index] || value < least || value > 100000) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0)
            fprintf(stderr, "usage: heat [POINTS [STEPS [INTERVAL]]]; '%s' is not a number from %d to 100000\n",
                    argv[index], least);
        MPI_Finalize();
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int points = argument(argc, argv, 1, 256, 1), steps = argument(argc, argv, 2, 200, 0);
    int interval = argument(argc, argv, 3, 20, 1), rank;
    struct box box;
    make_box(&box, points);
    MPI_Comm_rank(box.comm, &rank);

    double *start = make_factors(points, 0), *finish = make_factors(points, steps);
    for (int i = 1; i <= box.n[0]; i++)
        for (int j = 1; j <= box.n[1]; j++)
            *cell(&box, box.now, i, j) = exact(points, start, box.first[0] + i, box.first[1] + j);

    for (int k = 1; k <= steps; k++) {
#pragma pc3 checkpoint
        step(&box);
        if (k % interval == 0) {
            double size = change(&box);
            if (rank == 0)
                printf("step %6d: change %.17g\n", k, size);
        }
    }

    double sum[2] = {0, 0}, total[2], error = 0, worst;
    for (int i = 1; i <= box.n[0]; i++)
        for (int j = 1; j <= box.n[1]; j++) {
            double value = *cell(&box, box.now, i, j);
            double off = fabs(value - exact(points, finish, box.first[0] + i, box.first[1] + j));
            sum[0] += value;
            sum[1] += value * value;
            error = off > error ? off : error;
        }
    MPI_Allreduce(sum, total, 2, MPI_DOUBLE, MPI_SUM, box.comm);
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, box.comm);
    int ok = worst < 1e-12 + steps * DBL_EPSILON; /* each step may round once */
    if (rank == 0) {
        printf("checksum %.17g %.17g\n", total[0], total[1]);
        printf("VERIFICATION %s\n", ok ? "SUCCESSFUL" : "FAILED");
        if (!ok)
            fprintf(stderr, "largest error %g\n", worst);
    }
    free(start);
    free(finish);
    free_box(&box);
    MPI_Finalize();
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
