/* pc3-test: mpi ranks=16 args=S */
/* NAS kernel MG: V-cycles of multigrid for a Poisson equation on a periodic cube.
 *
 * A level's grid is cut into equal boxes over a three-dimensional process grid, each box with
 * one layer of ghost points around it.  Where boxes would shrink below two points a side, the
 * rest of the V-cycle runs on whole small grids, on every rank the same. */
#include "../npb/npb.h"

#include <math.h>

enum { MAX_LEVELS = 9, EXTREMES = 10 };

static const struct {
    int log2_n, iterations;
    double norm;
} classes[] = {
    {5, 4, 0.5307707005734e-04},
    {7, 4, 0.6467329375339e-05},
    {8, 4, 0.2433365309069e-05},
};

/* Stencils by distance: centre, faces, edges, corners. */
static const double laplacian[4] = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
static const double smoother[4] = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};

/* Dimension 0 is z (slowest), 2 is x. */
struct box {
    int n[3];   /* inner points; ghosts are 0 and n + 1 */
    int shared; /* cut over the ranks, as opposed to whole on each */
};

struct level {
    struct box box;
    double *u, *r;
};

static MPI_Comm cart;
static int dims[3], coords[3], neighbour[3][2];
static struct level levels[MAX_LEVELS + 1]; /* 1 is the coarsest */
static double *send_face[2], *receive_face[2], *row1, *row2;

static void *allocate(size_t count)
{
    double *block = malloc(count * sizeof *block);
    if (!block) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return block;
}

static inline size_t at(const struct box *b, int z, int y, int x)
{
    return ((size_t)z * (b->n[1] + 2) + y) * (b->n[2] + 2) + x;
}

static size_t volume(const struct box *b)
{
    return at(b, b->n[0] + 2, 0, 0);
}

static double *new_grid(const struct box *b)
{
    double *g = allocate(volume(b));
    for (size_t i = 0; i < volume(b); i++)
        g[i] = 0;
    return g;
}

/* Copies the plane `index` of dimension `dim`, ghosts included, out of or into the grid. */
static int copy_face(const struct box *b, double *g, int dim, int index, double *face, int into)
{
    int low[3] = {0, 0, 0}, high[3] = {b->n[0] + 1, b->n[1] + 1, b->n[2] + 1}, count = 0;
    low[dim] = high[dim] = index;
    for (int z = low[0]; z <= high[0]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            double *row = g + at(b, z, y, 0);
            if (into)
                for (int x = low[2]; x <= high[2]; x++)
                    row[x] = face[count++];
            else
                for (int x = low[2]; x <= high[2]; x++)
                    face[count++] = row[x];
        }
    return count;
}

/* Fills the ghosts.  One dimension after the other, so that edges and corners come along. */
static void fill_ghosts(const struct box *b, double *g)
{
    for (int dim = 2; dim >= 0; dim--) {
        int count = copy_face(b, g, dim, 1, send_face[0], 0);
        copy_face(b, g, dim, b->n[dim], send_face[1], 0);
        if (!b->shared || dims[dim] == 1) {
            copy_face(b, g, dim, b->n[dim] + 1, send_face[0], 1);
            copy_face(b, g, dim, 0, send_face[1], 1);
            continue;
        }
        MPI_Request requests[4];
        MPI_Status statuses[4];
        for (int side = 0; side < 2; side++) {
            int to = neighbour[dim][side];
            MPI_Irecv(receive_face[side], count, MPI_DOUBLE, to, 1 - side, cart, &requests[side]);
            MPI_Isend(send_face[side], count, MPI_DOUBLE, to, side, cart, &requests[2 + side]);
        }
        MPI_Waitall(4, requests, statuses);
        copy_face(b, g, dim, 0, receive_face[0], 1);
        copy_face(b, g, dim, b->n[dim] + 1, receive_face[1], 1);
    }
}

/* Sums of the points beside (row1) and diagonally beside (row2) each point of a row. */
static inline void sum_neighbours(const struct box *b, const double *g, int z, int y)
{
    const double *up = g + at(b, z, y + 1, 0), *down = g + at(b, z, y - 1, 0);
    const double *front = g + at(b, z + 1, y, 0), *back = g + at(b, z - 1, y, 0);
    const double *a = g + at(b, z - 1, y - 1, 0), *c = g + at(b, z - 1, y + 1, 0);
    const double *d = g + at(b, z + 1, y - 1, 0), *e = g + at(b, z + 1, y + 1, 0);
    double *restrict one = row1, *restrict two = row2;
    for (int x = 0; x <= b->n[2] + 1; x++) {
        one[x] = (down[x] + up[x]) + (back[x] + front[x]);
        two[x] = (a[x] + c[x]) + (d[x] + e[x]);
    }
}

/* r = v - A u; r may be v. */
static void residual(const struct box *b, const double *u, const double *v, double *r)
{
    const double a0 = laplacian[0], a2 = laplacian[2], a3 = laplacian[3];
    for (int z = 1; z <= b->n[0]; z++)
        for (int y = 1; y <= b->n[1]; y++) {
            sum_neighbours(b, u, z, y);
            const double *centre = u + at(b, z, y, 0), *right = v + at(b, z, y, 0);
            const double *restrict one = row1, *restrict two = row2;
            double *out = r + at(b, z, y, 0);
            for (int x = 1; x <= b->n[2]; x++)
                out[x] = right[x] - a0 * centre[x] - a2 * (two[x] + one[x - 1] + one[x + 1]) -
                         a3 * (two[x - 1] + two[x + 1]);
        }
    fill_ghosts(b, r);
}

/* u += S r. */
static void smooth(const struct box *b, const double *r, double *u)
{
    const double c0 = smoother[0], c1 = smoother[1], c2 = smoother[2];
    for (int z = 1; z <= b->n[0]; z++)
        for (int y = 1; y <= b->n[1]; y++) {
            sum_neighbours(b, r, z, y);
            const double *centre = r + at(b, z, y, 0);
            const double *restrict one = row1, *restrict two = row2;
            double *restrict out = u + at(b, z, y, 0);
            for (int x = 1; x <= b->n[2]; x++)
                out[x] += c0 * centre[x] + c1 * (centre[x - 1] + centre[x + 1] + one[x]) +
                          c2 * (two[x] + one[x - 1] + one[x + 1]);
        }
    fill_ghosts(b, u);
}

/* Full weighting; coarse point j lies on fine point 2j.  The ghosts of `to` stay as they are. */
static void restrict_to(const struct box *fine, const double *from, const struct box *coarse, double *to)
{
    for (int z = 1; z <= coarse->n[0]; z++)
        for (int y = 1; y <= coarse->n[1]; y++) {
            sum_neighbours(fine, from, 2 * z, 2 * y);
            const double *centre = from + at(fine, 2 * z, 2 * y, 0);
            double *out = to + at(coarse, z, y, 0);
            for (int x = 1; x <= coarse->n[2]; x++) {
                int f = 2 * x;
                out[x] = 0.5 * centre[f] + 0.25 * (centre[f - 1] + centre[f + 1] + row1[f]) +
                         0.125 * (row1[f - 1] + row1[f + 1] + row2[f]) + 0.0625 * (row2[f - 1] + row2[f + 1]);
            }
        }
}

/* u += the trilinear interpolation of the coarse grid, ghosts included. */
static void interpolate(const struct box *coarse, const double *from, const struct box *fine, double *u)
{
    for (int z = 0; z <= fine->n[0] + 1; z++)
        for (int y = 0; y <= fine->n[1] + 1; y++) {
            const double *a = from + at(coarse, z / 2, y / 2, 0), *b = from + at(coarse, z / 2, (y + 1) / 2, 0);
            const double *c = from + at(coarse, (z + 1) / 2, y / 2, 0);
            const double *d = from + at(coarse, (z + 1) / 2, (y + 1) / 2, 0);
            for (int x = 0; x <= coarse->n[2] + 1; x++)
                row1[x] = 0.25 * ((a[x] + b[x]) + (c[x] + d[x]));
            double *restrict out = u + at(fine, z, y, 0);
            const double *restrict sum = row1;
            for (int x = 0; x <= coarse->n[2]; x++) {
                out[2 * x] += sum[x];
                out[2 * x + 1] += 0.5 * (sum[x] + sum[x + 1]);
            }
        }
}

/* Where the row (z, y) of the box of the rank with coordinates c lies in the whole grid. */
static size_t in_whole(const struct box *whole, const struct box *part, const int *c, int z, int y)
{
    return at(whole, c[0] * part->n[0] + z, c[1] * part->n[1] + y, c[2] * part->n[2]);
}

/* Every rank's box of a cut grid becomes the whole grid on every rank. */
static void gather(const struct box *part, const double *from, const struct box *whole, double *to)
{
    int ranks = dims[0] * dims[1] * dims[2], count = 0, inner = part->n[0] * part->n[1] * part->n[2];
    double *mine = allocate(inner), *all = allocate((size_t)inner * ranks), *next = all;
    for (int z = 1; z <= part->n[0]; z++)
        for (int y = 1; y <= part->n[1]; y++)
            for (int x = 1; x <= part->n[2]; x++)
                mine[count++] = from[at(part, z, y, x)];
    MPI_Allgather(mine, inner, MPI_DOUBLE, all, inner, MPI_DOUBLE, cart);
    for (int rank = 0; rank < ranks; rank++) {
        int c[3];
        MPI_Cart_coords(cart, rank, 3, c);
        for (int z = 1; z <= part->n[0]; z++)
            for (int y = 1; y <= part->n[1]; y++) {
                double *row = to + in_whole(whole, part, c, z, y);
                for (int x = 1; x <= part->n[2]; x++)
                    row[x] = *next++;
            }
    }
    free(mine);
    free(all);
    fill_ghosts(whole, to);
}

/* This rank's box of a whole grid, with ghosts. */
static void take_part(const struct box *whole, const double *from, const struct box *part, double *to)
{
    for (int z = 0; z <= part->n[0] + 1; z++)
        for (int y = 0; y <= part->n[1] + 1; y++) {
            const double *row = from + in_whole(whole, part, coords, z, y);
            for (int x = 0; x <= part->n[2] + 1; x++)
                to[at(part, z, y, x)] = row[x];
        }
}

/* The box of the next coarser grid as it is cut over the ranks. */
static struct box halved(const struct box *b)
{
    return (struct box){{b->n[0] / 2, b->n[1] / 2, b->n[2] / 2}, b->shared};
}

static void descend(const struct level *fine, struct level *coarse)
{
    struct box cut = halved(&fine->box);
    if (fine->box.shared == coarse->box.shared) {
        restrict_to(&fine->box, fine->r, &coarse->box, coarse->r);
        fill_ghosts(&coarse->box, coarse->r);
    } else {
        double *part = new_grid(&cut);
        restrict_to(&fine->box, fine->r, &cut, part);
        gather(&cut, part, &coarse->box, coarse->r);
        free(part);
    }
}

static void ascend(const struct level *coarse, struct level *fine)
{
    struct box cut = halved(&fine->box);
    if (fine->box.shared == coarse->box.shared) {
        interpolate(&coarse->box, coarse->u, &fine->box, fine->u);
    } else {
        double *part = new_grid(&cut);
        take_part(&coarse->box, coarse->u, &cut, part);
        interpolate(&cut, part, &fine->box, fine->u);
        free(part);
    }
}

static void clear(const struct level *l)
{
    memset(l->u, 0, volume(&l->box) * sizeof *l->u);
}

static void v_cycle(int top, const double *v)
{
    for (int k = top; k > 1; k--)
        descend(&levels[k], &levels[k - 1]);
    clear(&levels[1]);
    smooth(&levels[1].box, levels[1].r, levels[1].u);
    for (int k = 2; k <= top; k++) {
        struct level *l = &levels[k];
        if (k < top)
            clear(l);
        ascend(&levels[k - 1], l);
        residual(&l->box, l->u, k < top ? l->r : v, l->r);
        smooth(&l->box, l->r, l->u);
    }
}

static double norm(const struct box *b, const double *g)
{
    double sum = 0, total, points = (double)b->n[0] * b->n[1] * b->n[2] * dims[0] * dims[1] * dims[2];
    for (int z = 1; z <= b->n[0]; z++)
        for (int y = 1; y <= b->n[1]; y++)
            for (int x = 1; x <= b->n[2]; x++) {
                double value = g[at(b, z, y, x)];
                sum += value * value;
            }
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, cart);
    return sqrt(total / points);
}

/* A random number and where it lies. */
struct extreme {
    double value;
    size_t place;
};

static void keep_largest(struct extreme *list, double value, size_t place)
{
    int i = EXTREMES - 1;
    if (value <= list[i].value)
        return;
    for (; i > 0 && list[i - 1].value < value; i--)
        list[i] = list[i - 1];
    list[i] = (struct extreme){value, place};
}

/* Sets the points of the ten largest list entries of all ranks to `charge`. */
static void place_charges(const struct extreme *list, double charge, double *v)
{
    int rank, next = 0;
    MPI_Comm_rank(cart, &rank);
    for (int i = 0; i < EXTREMES; i++) {
        struct {
            double value;
            int rank;
        } mine = {next < EXTREMES ? list[next].value : -2, rank}, best;
        MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, cart);
        if (best.rank == rank)
            v[list[next++].place] = charge;
    }
}

/* Right-hand side: +1 where a random field has its ten largest values, -1 at the ten smallest. */
static void make_charges(const struct box *b, double *v)
{
    struct extreme largest[EXTREMES], smallest[EXTREMES];
    for (int i = 0; i < EXTREMES; i++)
        largest[i] = smallest[i] = (struct extreme){-2, 0};
    int64_t ny = (int64_t)b->n[1] * dims[1], nx = (int64_t)b->n[2] * dims[2];
    for (int z = 1; z <= b->n[0]; z++)
        for (int y = 1; y <= b->n[1]; y++) {
            int64_t whole_z = (int64_t)coords[0] * b->n[0] + z - 1, whole_y = (int64_t)coords[1] * b->n[1] + y - 1;
            int64_t first = (whole_z * ny + whole_y) * nx + (int64_t)coords[2] * b->n[2];
            uint64_t seed = npb_skip(NPB_SEED, (uint64_t)first);
            for (int x = 1; x <= b->n[2]; x++) {
                double value = npb_random(&seed, NPB_MULT);
                keep_largest(largest, value, at(b, z, y, x));
                keep_largest(smallest, -value, at(b, z, y, x));
            }
        }
    place_charges(largest, 1, v);
    place_charges(smallest, -1, v);
    fill_ghosts(b, v);
}

static void make_levels(int top)
{
    struct box b = {{(1 << top) / dims[0], (1 << top) / dims[1], (1 << top) / dims[2]}, 1};
    for (int k = top; k >= 1; k--) {
        if (b.shared && (b.n[0] < 2 || b.n[1] < 2 || b.n[2] < 2))
            b = (struct box){{1 << k, 1 << k, 1 << k}, 0};
        levels[k] = (struct level){b, new_grid(&b), new_grid(&b)};
        b = halved(&b);
    }
    size_t face = 0, width = 0;
    for (int k = 1; k <= top; k++) {
        const int *n = levels[k].box.n;
        for (int dim = 0; dim < 3; dim++) {
            size_t size = (size_t)(n[(dim + 1) % 3] + 2) * (n[(dim + 2) % 3] + 2);
            face = size > face ? size : face;
        }
        width = (size_t)n[2] + 2 > width ? (size_t)n[2] + 2 : width;
    }
    for (int side = 0; side < 2; side++) {
        send_face[side] = allocate(face);
        receive_face[side] = allocate(face);
    }
    row1 = allocate(width);
    row2 = allocate(width);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int class = npb_class(argc, argv), ranks = npb_ranks(1024), rank, periodic[3] = {1, 1, 1};
    int top = classes[class].log2_n;
    MPI_Dims_create(ranks, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periodic, 0, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, 3, coords);
    for (int dim = 0; dim < 3; dim++)
        MPI_Cart_shift(cart, dim, 1, &neighbour[dim][0], &neighbour[dim][1]);

    make_levels(top);
    struct level *finest = &levels[top];
    double *v = new_grid(&finest->box);
    make_charges(&finest->box, v);

    npb_timed(1);
    residual(&finest->box, finest->u, v, finest->r);
    double size = norm(&finest->box, finest->r);
    if (rank == 0)
        printf("before:  residual %.17g\n", size);
    for (int cycle = 1; cycle <= classes[class].iterations; cycle++) {
#pragma pc3 checkpoint
        v_cycle(top, v);
        residual(&finest->box, finest->u, v, finest->r);
        size = norm(&finest->box, finest->r);
        if (rank == 0)
            printf("cycle %2d: residual %.17g\n", cycle, size);
    }
    npb_timed(0);
    int status = npb_verdict("MG", class, npb_close(size, classes[class].norm, 1e-8));

    free(v);
    for (int k = 1; k <= top; k++) {
        free(levels[k].u);
        free(levels[k].r);
    }
    for (int side = 0; side < 2; side++) {
        free(send_face[side]);
        free(receive_face[side]);
    }
    free(row1);
    free(row2);
    MPI_Comm_free(&cart);
    MPI_Finalize();
    return status;
}
