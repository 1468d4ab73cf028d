/* pc3-test: mpi ranks=2 */
/* Where structs lie among others, in arrays of integers that live across locations: local, static, of other units, of lengths
 * that are computed, in structs, of two dimensions, of the heap; filled here and by functions; used to copy, and for datatypes. */
#include "mpi_check.h"

#include <stddef.h>
#include <string.h>

struct p {
    char c;
    double x;
    long n;
    int k;
};

struct plan {
    int n;
    MPI_Aint at[3];
    size_t two[2][2];
    size_t *more;
};

static MPI_Aint fixed[4] = {0, sizeof(struct p), [3] = 4 * sizeof(struct p)};
int common[3];
static size_t *kept;
static int rank;

static void spread(MPI_Aint *d, int n, int step)
{
    for (int i = 0; i < n; i++)
        d[i] = (MPI_Aint)(i * step * sizeof(struct p));
}

static void further(size_t *d)
{
    *d += sizeof(struct p);
    d[1] -= sizeof(struct p);
}

static size_t *dealt(int n)
{
    size_t *d = calloc((size_t)n, sizeof *d);
    for (int i = 1; i < n; i++)
        d[i] = d[i - 1] + sizeof(struct p);
    return d;
}

static double sum(const struct p *all, const MPI_Aint *d, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        struct p one;
#pragma pc3 checkpoint
        memcpy(&one, (const char *)all + d[i], sizeof one);
        s += one.x + one.n + one.k + one.c;
    }
    return s;
}

static int at(const struct p *all, size_t offset)
{
    struct p one;
    memcpy(&one, (const char *)all + offset, sizeof one);
    return (int)(one.x * 8) + (int)one.n + one.k * 3 + one.c;
}

static int exchange(const struct p *all, int n, MPI_Aint *d)
{
    struct p got[6];
    int lengths[6] = {1, 1, 1, 1, 1, 1};
    MPI_Aint members[4] = {offsetof(struct p, c), offsetof(struct p, x), offsetof(struct p, n), offsetof(struct p, k)};
    MPI_Datatype types[4] = {MPI_CHAR, MPI_DOUBLE, MPI_LONG, MPI_INT}, parts, whole, some;
    MPI_Type_create_struct(4, lengths, members, types, &parts);
    MPI_Type_create_resized(parts, 0, sizeof(struct p), &whole);
    MPI_Type_create_hindexed(n, lengths, d, whole, &some);
    MPI_Type_commit(&some);
    memset(got, 0, sizeof got);
    MPI_Sendrecv(all, 1, some, !rank, 1, got, 1, some, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&parts);
    MPI_Type_free(&whole);
    MPI_Type_free(&some);
    int s = 0;
    for (int i = 0; i < 6; i++)
        s += (i + 1) * at(got, i * sizeof(struct p));
    return s;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct p all[6];
    for (int i = 0; i < 6; i++) {
        struct p one = {(char)('a' + i), rank + i / 8.0, -100L * i - rank, 7 * i};
        all[i] = one;
    }
    MPI_Aint first[3] = {0, sizeof(struct p), 5 * sizeof(struct p)}, spreaded[3], copied[3];
    size_t pair[2];
    int few[4];
    struct plan plan = {.n = 3, .at = {sizeof(struct p), 0, 3 * sizeof(struct p)}};
    struct plan *other = malloc(sizeof *other);
    memset(other, 0, sizeof *other);
    size_t *block = malloc(6 * sizeof *block), *walk = block;
    const int n = argc + 2;
    MPI_Aint lengthy[n];
    for (int i = 0; i < 6; i++)
        block[i] = i * sizeof(struct p);
    for (int i = 0; i < 4; i++)
        few[i] = (int)(i * sizeof(struct p));
    spread(spreaded, 3, 2);
    for (int i = 0; i < n; i++)
        lengthy[i] = (MPI_Aint)((i + 1) * sizeof(struct p));
    pair[0] = pair[1] = 2 * sizeof(struct p);
    further(pair);
    memcpy(copied, first, sizeof copied);
    plan.two[1][0] = 4 * sizeof(struct p);
    other->at[2] = 2 * sizeof(struct p);
    other->two[0][1] = sizeof all;
    other->more = dealt(4);
    kept = malloc(2 * sizeof *kept);
    kept[0] = sizeof(struct p);
    kept = realloc(kept, 3 * sizeof *kept);
    kept[1] = kept[2] = 5 * sizeof(struct p);
    common[1] = 3 * sizeof(struct p);
    for (int round = 0; round < 3; round++) {
#pragma pc3 checkpoint
        show_all("first", (int)sum(all, first, 3));
        show_all("static", (int)sum(all, fixed, 4));
        show_all("spread", (int)sum(all, spreaded, 3));
        show_all("member", (int)sum(all, plan.at, plan.n));
        show_all("sent", exchange(all, 3, first));
        show_all("sent static", exchange(all, 4, fixed) + exchange(all, 3, spreaded));
#pragma pc3 checkpoint
        show_all("sent others", exchange(all, 3, copied) + exchange(all, n, lengthy) + exchange(all, 2, other->at + 1));
        show_all("few", at(all, few[1]) + at(all, few[3]) + at(all, common[1]));
        show_all("pair", at(all, pair[0]) + at(all, pair[1]));
        show_all("two", at(all, plan.two[1][0]) + at(all, other->two[0][1] - sizeof(struct p)));
        show_all("more", at(all, other->more[3]));
        show_all("heap", at(all, walk[1]) + at(all, block[5]) + at(all, kept[0]) + at(all, kept[2]));
        fixed[2] += sizeof(struct p);
        kept[1] -= sizeof(struct p);
        walk++;
    }
    free(block);
    free(kept);
    free(other->more);
    free(other);
    return mpi_finish();
}
