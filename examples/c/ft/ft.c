/* pc3-test: mpi ranks=16 args=S */
/* NAS kernel FT: a heat equation solved by three-dimensional Fourier transforms.
 *
 * Ranks form a grid of p2 x p1.  The array goes through three layouts, each with one dimension
 * whole on a rank: x (z cut in p2, y in p1), y (z in p2, x in p1), z (y in p2, x in p1).  The
 * exchange between two layouts is an all-to-all within one row or column of the grid; what it
 * delivers is transposed on loading into the transform's scratch arrays. */
#include "../npb/npb.h"

#include <math.h>

enum { ITERATIONS = 6, BLOCK = 16, SAMPLES = 1024, LONGEST = 256 };

struct complex {
    double re, im;
};

static const struct {
    int nx, ny, nz;
    struct complex sum[ITERATIONS];
} classes[] = {
    {64, 64, 64,
     {{5.546087004964e+02, 4.845363331978e+02}, {5.546385409189e+02, 4.865304269511e+02},
      {5.546148406171e+02, 4.883910722336e+02}, {5.545423607415e+02, 4.901273169046e+02},
      {5.544255039624e+02, 4.917475857993e+02}, {5.542683411902e+02, 4.932597244941e+02}}},
    {128, 128, 32,
     {{5.673612178944e+02, 5.293246849175e+02}, {5.631436885271e+02, 5.282149986629e+02},
      {5.594024089970e+02, 5.270996558037e+02}, {5.560698047020e+02, 5.260027904925e+02},
      {5.530898991250e+02, 5.249400845633e+02}, {5.504159734538e+02, 5.239212247086e+02}}},
    {256, 256, 128,
     {{5.046735008193e+02, 5.114047905510e+02}, {5.059412319734e+02, 5.098809666433e+02},
      {5.069376896287e+02, 5.098144042213e+02}, {5.077892868474e+02, 5.101336130759e+02},
      {5.085233095391e+02, 5.104914655194e+02}, {5.091487099959e+02, 5.107917842803e+02}}},
};
static const double pi = 3.141592653589793238, diffusion = 1e-6;

static int nx, ny, nz;             /* the whole array */
static int p1, p2, c1, c2;         /* the rank grid, this rank's place in it */
static int x_part, y1_part, y2_part, z_part; /* cut extents: x in p1, y in p1 or p2, z in p2 */
static size_t local_size;
static MPI_Comm within1, within2;
static MPI_Datatype complex_type;

/* exp(-2 pi i k / n) for all k of a transform's length. */
struct roots {
    int n;
    struct complex *root;
};
static struct roots roots_x, roots_y, roots_z;

static void *allocate(size_t count, size_t size)
{
    void *block = malloc(count * size);
    if (!block) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return block;
}

/* exp of a small x by its series: the same on every machine, unlike the libraries' functions. */
static double portable_exp(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 24; k++) {
        term = term * x / k;
        sum += term;
    }
    return sum;
}

static struct complex unit_root(int k, int n)
{
    /* Sine and cosine of at most an eighth of a turn, then the symmetries of the circle. */
    int eighth = 8 * k / n;
    int twice = eighth % 2 ? n / 4 * ((eighth + 1) / 2) - k : k - n / 4 * (eighth / 2);
    double angle = 2 * pi * twice / n, square = angle * angle, c = 1, s = angle, term_c = 1, term_s = angle;
    for (int j = 2; j < 24; j += 2) {
        term_c = -term_c * square / ((j - 1) * j);
        term_s = -term_s * square / (j * (j + 1));
        c += term_c;
        s += term_s;
    }
    if (eighth % 2)
        s = -s;
    switch ((eighth + 1) / 2 % 4) {
    case 0: return (struct complex){c, -s};
    case 1: return (struct complex){-s, -c};
    case 2: return (struct complex){-c, s};
    default: return (struct complex){s, c};
    }
}

static struct roots make_roots(int n)
{
    struct roots roots = {n, allocate((size_t)n, sizeof *roots.root)};
    for (int k = 0; k < n; k++)
        roots.root[k] = unit_root(k, n);
    return roots;
}

/* Room for `width` transforms side by side: element k of transform v is at k * width + v.
 * The two halves take turns as input and output. */
struct scratch {
    double re[2][LONGEST * BLOCK], im[2][LONGEST * BLOCK];
};

/* Transforms half 0 (Stockham's algorithm, no bit reversal); returns where the result is. */
static int transform(struct scratch *s, const struct roots *roots, int width, int inverse)
{
    int from = 0, n = roots->n;
    for (int size = n, run = width; size > 1; size /= 2, run *= 2, from = 1 - from) {
        int half = size / 2, step = n / size;
        for (int p = 0; p < half; p++) {
            double wr = roots->root[p * step].re, wi = roots->root[p * step].im;
            if (inverse)
                wi = -wi;
            const double *restrict ar = s->re[from] + p * run, *restrict ai = s->im[from] + p * run;
            const double *restrict br = ar + half * run, *restrict bi = ai + half * run;
            double *restrict sr = s->re[1 - from] + 2 * p * run, *restrict si = s->im[1 - from] + 2 * p * run;
            double *restrict tr = sr + run, *restrict ti = si + run;
            for (int i = 0; i < run; i++) {
                double dr = ar[i] - br[i], di = ai[i] - bi[i];
                sr[i] = ar[i] + br[i];
                si[i] = ai[i] + bi[i];
                tr[i] = dr * wr - di * wi;
                ti[i] = dr * wi + di * wr;
            }
        }
    }
    return from;
}

static void load(struct scratch *s, const struct complex *in, size_t stride, int k, int width)
{
    double *restrict re = s->re[0] + k * width, *restrict im = s->im[0] + k * width;
    for (int v = 0; v < width; v++) {
        re[v] = in[v * stride].re;
        im[v] = in[v * stride].im;
    }
}

static void store(const struct scratch *s, int from, struct complex *out, size_t stride, int k, int width)
{
    const double *restrict re = s->re[from] + k * width, *restrict im = s->im[from] + k * width;
    for (int v = 0; v < width; v++)
        out[v * stride] = (struct complex){re[v], im[v]};
}

static int block_width(int extent)
{
    return extent < BLOCK ? extent : BLOCK;
}

/* Layouts as they are sent and received (part: the rank whose piece it is):
 *   rows  [z_part][y1_part][nx]
 *   x cut [part p1][z_part][y1_part][x_part]     (both sides of the exchange within1)
 *   y cut [part p2][z_part][y2_part][x_part]     (both sides of the exchange within2)
 *   whole z: y cut with part and z_part read as one dimension of nz. */
static inline size_t x_cut(int z, int y, int x)
{
    return (((size_t)(x / x_part) * z_part + z) * y1_part + y) * x_part + x % x_part;
}

static inline size_t x_cut_by_y(int z, int y, int x)
{
    return (((size_t)(y / y1_part) * z_part + z) * y1_part + y % y1_part) * x_part + x;
}

static inline size_t y_cut(int z, int y, int x)
{
    return (((size_t)(y / y2_part) * z_part + z) * y2_part + y % y2_part) * x_part + x;
}

static void transform_x_forward(struct scratch *s, const struct complex *rows, struct complex *out)
{
    int count = z_part * y1_part, width = block_width(count);
    for (int first = 0; first < count; first += width) {
        for (int k = 0; k < nx; k++)
            load(s, rows + (size_t)first * nx + k, nx, k, width);
        int at = transform(s, &roots_x, width, 0);
        for (int k = 0; k < nx; k++)
            store(s, at, out + x_cut(0, first, k), x_part, k, width);
    }
}

static void transform_x_inverse(struct scratch *s, const struct complex *in, struct complex *rows)
{
    int count = z_part * y1_part, width = block_width(count);
    for (int first = 0; first < count; first += width) {
        for (int k = 0; k < nx; k++)
            load(s, in + x_cut(0, first, k), x_part, k, width);
        int at = transform(s, &roots_x, width, 1);
        for (int k = 0; k < nx; k++)
            store(s, at, rows + (size_t)first * nx + k, nx, k, width);
    }
}

static void transform_y(struct scratch *s, const struct complex *in, struct complex *out, int inverse)
{
    int width = block_width(x_part);
    for (int z = 0; z < z_part; z++)
        for (int x = 0; x < x_part; x += width) {
            for (int k = 0; k < ny; k++)
                load(s, in + (inverse ? y_cut(z, k, x) : x_cut_by_y(z, k, x)), 1, k, width);
            int at = transform(s, &roots_y, width, inverse);
            for (int k = 0; k < ny; k++)
                store(s, at, out + (inverse ? x_cut_by_y(z, k, x) : y_cut(z, k, x)), 1, k, width);
        }
}

static void transform_z(struct scratch *s, const struct complex *in, struct complex *out, int inverse)
{
    int count = y2_part * x_part, width = block_width(count);
    for (int first = 0; first < count; first += width) {
        for (int k = 0; k < nz; k++)
            load(s, in + (size_t)k * count + first, 1, k, width);
        int at = transform(s, &roots_z, width, inverse);
        for (int k = 0; k < nz; k++)
            store(s, at, out + (size_t)k * count + first, 1, k, width);
    }
}

/* Gives part i of *from to rank i; the result is in *from again. */
static void exchange(MPI_Comm comm, int ranks, struct complex **from, struct complex **spare)
{
    if (ranks == 1)
        return;
    int part = (int)(local_size / ranks);
    MPI_Alltoall(*from, part, complex_type, *spare, part, complex_type, comm);
    struct complex *received = *spare;
    *spare = *from;
    *from = received;
}

/* rows -> whole z; a and b are work space, the result is in spectrum. */
static void forward(const struct complex *rows, struct complex *spectrum, struct complex *a, struct complex *b)
{
    struct scratch *s = allocate(1, sizeof *s);
    transform_x_forward(s, rows, a);
    exchange(within1, p1, &a, &b);
    transform_y(s, a, b, 0);
    exchange(within2, p2, &b, &a);
    transform_z(s, b, spectrum, 0);
    free(s);
}

/* whole z -> rows; returns which of the work spaces holds the result. */
static struct complex *backward(const struct complex *spectrum, struct complex *a, struct complex *b)
{
    struct scratch *s = allocate(1, sizeof *s);
    transform_z(s, spectrum, a, 1);
    exchange(within2, p2, &a, &b);
    transform_y(s, a, b, 1);
    exchange(within1, p1, &b, &a);
    transform_x_inverse(s, b, a);
    free(s);
    return a;
}

static void make_start(struct complex *rows)
{
    for (int z = 0; z < z_part; z++)
        for (int y = 0; y < y1_part; y++) {
            uint64_t before = ((uint64_t)(c2 * z_part + z) * ny + c1 * y1_part + y) * nx * 2;
            uint64_t seed = npb_skip(NPB_SEED, before);
            struct complex *row = rows + ((size_t)z * y1_part + y) * nx;
            for (int x = 0; x < nx; x++) {
                row[x].re = npb_random(&seed, NPB_MULT);
                row[x].im = npb_random(&seed, NPB_MULT);
            }
        }
}

/* exp(-4 pi^2 diffusion k^2) for wave numbers first .. first + count, above n / 2 negative. */
static double *make_decay(int n, int first, int count)
{
    double *decay = allocate((size_t)count, sizeof *decay);
    for (int i = 0; i < count; i++) {
        double k = first + i < n / 2 ? first + i : first + i - n;
        decay[i] = portable_exp(-4 * diffusion * pi * pi * k * k);
    }
    return decay;
}

static void evolve(struct complex *spectrum, const double *in_x, const double *in_y, const double *in_z)
{
    struct complex *row = spectrum;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < y2_part; y++, row += x_part) {
            double zy = in_z[z] * in_y[y];
            for (int x = 0; x < x_part; x++) {
                double factor = zy * in_x[x];
                row[x].re *= factor;
                row[x].im *= factor;
            }
        }
}

static struct complex checksum(const struct complex *rows)
{
    double sum[2] = {0, 0}, total[2], points = (double)nx * ny * nz;
    for (int j = 1; j <= SAMPLES; j++) {
        int x = j % nx, y = 3 * j % ny - c1 * y1_part, z = 5 * j % nz - c2 * z_part;
        if (y < 0 || y >= y1_part || z < 0 || z >= z_part)
            continue;
        const struct complex *value = rows + ((size_t)z * y1_part + y) * nx + x;
        sum[0] += value->re;
        sum[1] += value->im;
    }
    MPI_Allreduce(sum, total, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (struct complex){total[0] / points, total[1] / points};
}

static void make_layout(int class, int ranks, int rank)
{
    nx = classes[class].nx;
    ny = classes[class].ny;
    nz = classes[class].nz;
    p2 = ranks < nz ? ranks : nz;
    p1 = ranks / p2;
    c2 = rank / p1;
    c1 = rank % p1;
    x_part = nx / p1;
    y1_part = ny / p1;
    y2_part = ny / p2;
    z_part = nz / p2;
    local_size = (size_t)nx * ny * nz / ranks;
    MPI_Comm_split(MPI_COMM_WORLD, c2, c1, &within1);
    MPI_Comm_split(MPI_COMM_WORLD, c1, c2, &within2);
    MPI_Type_contiguous(2, MPI_DOUBLE, &complex_type);
    MPI_Type_commit(&complex_type);
    roots_x = make_roots(nx);
    roots_y = make_roots(ny);
    roots_z = make_roots(nz);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int class = npb_class(argc, argv), ranks = npb_ranks(1024), rank, right = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_layout(class, ranks, rank);
    npb_timed(1);

    struct complex *spectrum = allocate(local_size, sizeof *spectrum);
    struct complex *a = allocate(local_size, sizeof *a), *b = allocate(local_size, sizeof *b);
    double *decay_x = make_decay(nx, c1 * x_part, x_part), *decay_y = make_decay(ny, c2 * y2_part, y2_part);
    double *decay_z = make_decay(nz, 0, nz);

    make_start(spectrum);
    forward(spectrum, spectrum, a, b);
    for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
#pragma pc3 checkpoint
        evolve(spectrum, decay_x, decay_y, decay_z);
        struct complex sum = checksum(backward(spectrum, a, b)), official = classes[class].sum[iteration - 1];
        right += npb_close(sum.re, official.re, 1e-12) && npb_close(sum.im, official.im, 1e-12);
        if (rank == 0)
            printf("iteration %d: checksum %.17g %.17g\n", iteration, sum.re, sum.im);
    }
    npb_timed(0);
    int status = npb_verdict("FT", class, right == ITERATIONS);

    free(spectrum);
    free(a);
    free(b);
    free(decay_x);
    free(decay_y);
    free(decay_z);
    free(roots_x.root);
    free(roots_y.root);
    free(roots_z.root);
    MPI_Type_free(&complex_type);
    MPI_Comm_free(&within1);
    MPI_Comm_free(&within2);
    MPI_Finalize();
    return status;
}
