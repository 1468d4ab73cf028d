/* pc3-test: mpi ranks=13 */
/* Collectives of every operation and type that go together, on several groups: what comes of them as numbers. */
#include <mpi.h>
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(const void *p, size_t n, uint64_t h)
{
    const unsigned char *b = p;
    while (n--) h = (h ^ *b++) * 1099511628211u;
    return h;
}

static MPI_Datatype types[] = {
    MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT, MPI_LONG_LONG, MPI_UNSIGNED, MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE,
    MPI_C_DOUBLE_COMPLEX, MPI_2INT, MPI_DOUBLE_INT,
};
static const char *names[] = {"char", "short", "int", "long long", "unsigned", "uint64", "float", "double", "complex", "2int", "double_int"};
static MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BXOR, MPI_LOR, MPI_MINLOC, MPI_MAXLOC};
static const char *op_names[] = {"sum", "prod", "min", "max", "band", "bxor", "lor", "minloc", "maxloc"};

static int fits(int t, int o)
{
    if (t >= 9) return o >= 7;
    if (o >= 7) return 0;
    if (t == 8) return o < 2;
    return t < 6 || o < 4;
}

static void fill(char *b, int t, int n, int me)
{
    int size;
    MPI_Type_size(types[t], &size);
    memset(b, 0, (size_t)n * 16);
    for (int i = 0; i < n; i++) {
        double x = sin(me * 7.3 + i * 1.1 + t) * 3;
        if (t == 6) ((float *)b)[i] = x;
        else if (t == 7) ((double *)b)[i] = x;
        else if (t == 8) ((double complex *)b)[i] = x + I * cos(x);
        else if (t == 9) { ((int *)b)[2 * i] = (int)(x * 3); ((int *)b)[2 * i + 1] = me; }
        else if (t == 10) { struct { double d; int i; } *s = (void *)b; s[i].d = floor(x); s[i].i = me; }
        else for (int k = 0; k < size; k++) b[i * size + k] = (char)(x * 40 + k * 13);
    }
}

static void user(void *in, void *out, int *n, MPI_Datatype *t)
{
    (void)t;
    for (int i = 0; i < *n; i++) ((double *)out)[i] = ((double *)in)[i] * .5 + ((double *)out)[i];
}

static void group(MPI_Comm c, const char *what)
{
    int me, n;
    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    static int counts[] = {0, 1, 3, 11, 700};
    char *a = calloc(1000, 16), *b = calloc(1000, 16);
    for (int t = 0; t < 11; t++)
        for (int o = 0; o < 9; o++) {
            if (!fits(t, o)) continue;
            uint64_t h = 1469598103934665603u;
            for (int k = 0; k < 5; k++) {
                int m = counts[k];
                size_t bytes = (size_t)m * 16;
                fill(a, t, m, me);
                memset(b, 0, bytes);
                MPI_Allreduce(a, b, m, types[t], ops[o], c);
                h = hash(b, bytes, h);
                memset(b, 0, bytes);
                MPI_Reduce(a, b, m, types[t], ops[o], (k + t) % n, c);
                if (me == (k + t) % n) h = hash(b, bytes, h);
                memcpy(b, a, bytes);
                MPI_Allreduce(MPI_IN_PLACE, b, m, types[t], ops[o], c);
                h = hash(b, bytes, h);
            }
            uint64_t all;
            MPI_Reduce(&h, &all, 1, MPI_UINT64_T, MPI_BXOR, n - 1, c);
            if (me == n - 1) printf("%s %s %s %016llx\n", what, names[t], op_names[o], (unsigned long long)all);
        }
    MPI_Op mine;
    MPI_Op_create(user, 0, &mine);
    uint64_t h = 1469598103934665603u;
    for (int k = 0; k < 5; k++) {
        size_t bytes = (size_t)counts[k] * 8;
        fill(a, 7, counts[k], me);
        memset(b, 0, bytes);
        MPI_Allreduce(a, b, counts[k], MPI_DOUBLE, mine, c);
        h = hash(b, bytes, h);
        MPI_Scan(a, b, counts[k], MPI_DOUBLE, MPI_SUM, c);
        h = hash(b, bytes, h);
        for (int root = 0; root < n; root++) {
            if (me == root) fill(b, 2, counts[k], root + k);
            else memset(b, 0, bytes);
            MPI_Bcast(b, counts[k], MPI_INT, root, c);
            h = hash(b, bytes, h);
        }
        char *wide = calloc(2000 * (size_t)n, 8);
        MPI_Allgather(a, counts[k], MPI_DOUBLE, wide, counts[k], MPI_DOUBLE, c);
        h = hash(wide, bytes * n, h);
        memset(wide, 0, bytes * n);
        MPI_Gather(a, counts[k], MPI_DOUBLE, wide, counts[k], MPI_DOUBLE, k % n, c);
        h = hash(wide, bytes * n, h);
        for (int i = 0; i < n * counts[k]; i++) ((double *)wide)[i] = sin(i + me);
        MPI_Scatter(wide, counts[k], MPI_DOUBLE, b, counts[k], MPI_DOUBLE, k % n, c);
        h = hash(b, bytes, h);
        MPI_Alltoall(wide, counts[k], MPI_DOUBLE, wide + 1000 * 8 * (size_t)n, counts[k], MPI_DOUBLE, c);
        h = hash(wide + 1000 * 8 * (size_t)n, bytes * n, h);
        int *each = calloc(n, sizeof *each), *from = calloc(n, sizeof *from), whole = 0;
        for (int i = 0; i < n; i++) {
            each[i] = counts[k] > 11 ? i % 4 * 40 : i % 3;
            from[i] = whole;
            whole += each[i];
        }
        memset(b, 0, 8 * (size_t)each[me]);
        MPI_Reduce_scatter(wide, b, each, MPI_DOUBLE, MPI_SUM, c);
        h = hash(b, 8 * (size_t)each[me], h);
        MPI_Allgatherv(b, each[me], MPI_DOUBLE, wide, each, from, MPI_DOUBLE, c);
        h = hash(wide, 8 * (size_t)whole, h);
        MPI_Gatherv(a, each[me], MPI_DOUBLE, wide, each, from, MPI_DOUBLE, n - 1, c);
        h = hash(wide, 8 * (size_t)whole, h);
        MPI_Scatterv(wide, each, from, MPI_DOUBLE, b, each[me], MPI_DOUBLE, n - 1, c);
        h = hash(b, 8 * (size_t)each[me], h);
        /* Nobody waits in these, and of the last one member gives more than goes along a tree. */
        MPI_Comm d;
        MPI_Request r[8];
        double *more = calloc(2000 + n, sizeof *more), *sums = calloc(2 * (size_t)counts[k] + 2, sizeof *sums);
        for (int i = 0; i < n; i++) {
            each[i] = i == 2 % n ? 1500 : 1;
            from[i] = i <= 2 % n ? i : i + 1499;
        }
        MPI_Ibarrier(c, &r[0]);
        MPI_Iallreduce(a, sums, counts[k], MPI_DOUBLE, MPI_SUM, c, &r[1]);
        MPI_Ireduce(a, sums + counts[k], counts[k], MPI_DOUBLE, MPI_SUM, k % n, c, &r[2]);
        MPI_Ibcast(b, 1, MPI_DOUBLE, k % n, c, &r[3]);
        MPI_Comm_idup(c, &d, &r[4]);
        MPI_Iallgatherv(a, each[me], MPI_DOUBLE, more, each, from, MPI_DOUBLE, c, &r[5]);
        MPI_Iscan(MPI_IN_PLACE, wide, 1, MPI_DOUBLE, MPI_MIN, c, &r[6]);
        MPI_Igather(a, 1, MPI_DOUBLE, me == n - 1 ? wide + 64 : NULL, 1, MPI_DOUBLE, n - 1, c, &r[7]);
        MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
        h = hash(sums, bytes, hash(b, 8, hash(wide, 8, h)));
        if (me == k % n) h = hash(sums + counts[k], bytes, h);
        if (me == n - 1) h = hash(wide + 64, 8 * (size_t)n, h);
        h = hash(more, sizeof *more * (1499 + (size_t)n), h);
        free(sums);
        free(more);
        MPI_Barrier(d);
        MPI_Comm_free(&d);
        MPI_Comm_dup(c, &d);
        MPI_Reduce_scatter_block(MPI_IN_PLACE, wide, 1, MPI_DOUBLE, MPI_PROD, d);
        MPI_Exscan(wide, b, 1, MPI_DOUBLE, MPI_SUM, d);
        if (me > 0) h = hash(b, 8, hash(wide, 8, h));
        MPI_Comm_free(&d);
        free(from);
        free(each);
        free(wide);
        MPI_Barrier(c);
    }
    uint64_t all;
    MPI_Reduce(&h, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, c);
    if (me == 0) printf("%s others %016llx\n", what, (unsigned long long)all);
    MPI_Op_free(&mine);
    free(a);
    free(b);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int me, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    group(MPI_COMM_WORLD, "world");
    MPI_Comm c;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &c);
    group(c, "backwards");
    MPI_Comm_free(&c);
    MPI_Comm_split(MPI_COMM_WORLD, me % 3 == 1 ? MPI_UNDEFINED : 0, me * 5 % n, &c);
    if (c != MPI_COMM_NULL) group(c, "two of three");
    else MPI_Barrier(MPI_COMM_WORLD);
    if (c != MPI_COMM_NULL) MPI_Comm_free(&c);
    MPI_Comm_split(MPI_COMM_WORLD, me < n / 3, me, &c);
    if (me >= n / 3) group(c, "the last");
    else MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm i, m;
    MPI_Intercomm_create(c, 0, MPI_COMM_WORLD, me < n / 3 ? n / 3 : 0, 7, &i);
    double x = me * .1, y = 0;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, i);
    MPI_Barrier(i);
    uint64_t h = hash(&y, 8, 1), all;
    MPI_Reduce(&h, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!me) printf("between %016llx\n", (unsigned long long)all);
    MPI_Intercomm_merge(i, me < n / 3, &m);
    group(m, "merged");
    MPI_Finalize();
    return 0;
}
