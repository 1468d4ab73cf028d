/* pc3-test: mpi ranks=3 */
/* Datatypes whose numbers of bytes are sizes and places of structs, made before a location and used behind it: strides and extents
 * over plain types, single displacements, blocks of MPI_BYTE of every constructor; from variables, arrays and the heap. */
#include "mpi_check.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct p {
    char c;
    double x;
    long n;
    int k;
};
/* As large as four doubles somewhere, and with a double in it. */
struct q {
    double y;
    long a, b;
    double z;
};
static const int order = MPI_ORDER_C;

static const struct {
    const char *name;
    MPI_Aint at;
} described[] = {{"c", offsetof(struct p, c)}, {"n", offsetof(struct p, n)}};

enum { N = 6, TYPES = 30 };

static struct p mine[N], theirs[N];
static struct q four;
static int rank, ranks;

static void fill(int round)
{
    for (int i = 0; i < N; i++) {
        struct p one = {(char)('a' + i + round), rank * 100 + i + round / 8.0, -1000L * rank - i * round, 7 * i + round};
        mine[i] = one;
    }
    four.y = four.z = round;
}

static int sum(const struct p *p)
{
    double d = 0;
    for (int i = 0; i < N; i++)
        d = 3 * d + p[i].c + 8 * p[i].x + (double)p[i].n * 5 + p[i].k;
    return (int)d;
}

static MPI_Datatype rows(int n, MPI_Aint apart, MPI_Datatype of)
{
    MPI_Datatype t;
    MPI_Type_create_hvector(n, 1, apart, of, &t);
    return t;
}

static MPI_Datatype block(int length)
{
    MPI_Datatype t;
    MPI_Type_contiguous(length, MPI_BYTE, &t);
    return t;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    MPI_Datatype t[TYPES];
    void *from[TYPES], *to[TYPES];
    for (int i = 0; i < TYPES; i++) {
        from[i] = mine;
        to[i] = theirs;
    }
    int n = 0, one[3] = {1, 1, 1};

    /* Strides and extents. */
    MPI_Type_create_hvector(N, 1, sizeof(struct p), MPI_DOUBLE, &t[n]);
    from[n] = &mine[0].x, to[n] = &theirs[0].x;
    n++;
    MPI_Aint apart = 2 * sizeof *mine;
    MPI_Type_create_hvector(N / 2, 1, apart, MPI_LONG, &t[n]);
    from[n] = &mine[1].n, to[n] = &theirs[1].n;
    n++;
    t[n] = rows(N, sizeof(struct p), MPI_INT);
    from[n] = &mine[0].k, to[n] = &theirs[0].k;
    n++;
    MPI_Type_create_resized(MPI_DOUBLE, 0, sizeof(struct p), &t[n]);
    from[n] = &mine[0].x, to[n] = &theirs[0].x;
    n++;

    /* Places. */
    MPI_Aint at = 5 * sizeof(struct p) + offsetof(struct p, k);
    MPI_Type_create_hindexed_block(1, 1, &at, MPI_INT, &t[n++]);
    MPI_Aint places[] = {offsetof(struct p, n), 2 * sizeof(struct p) + offsetof(struct p, n), [3] = sizeof(struct p) * 4 + offsetof(struct p, n)};
    places[2] = 3 * sizeof(struct p) + offsetof(struct p, n);
    MPI_Type_create_hindexed_block(4, 1, places, MPI_LONG, &t[n++]);
    MPI_Aint *on_heap = malloc(N * sizeof *on_heap);
    for (int i = 0; i < N; i++)
        on_heap[i] = i * sizeof(struct p) + offsetof(struct p, x);
    int ones[N] = {1, 1, 1, 1, 1, 1};
    MPI_Type_create_hindexed(N, ones, on_heap, MPI_DOUBLE, &t[n++]);
    MPI_Datatype parts[3] = {MPI_CHAR, MPI_LONG, MPI_INT};
    MPI_Aint members[3] = {(char *)&mine[1].c - (char *)mine, (char *)&mine[1].n - (char *)mine, (char *)&mine[2].k - (char *)mine};
    MPI_Type_create_struct(3, one, members, parts, &t[n++]);
    MPI_Type_create_struct(2, one, (MPI_Aint[]){(MPI_Aint)&((struct p *)0)->x, sizeof(struct p) + (MPI_Aint)&((struct p *)0)->x},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_DOUBLE}, &t[n++]);

    /* Bytes. */
    int few[2] = {2 * sizeof(struct p), sizeof(struct p)}, where[2] = {3 * sizeof(struct p), sizeof(struct p)};
    MPI_Type_indexed(2, few, where, MPI_BYTE, &t[n++]);
    MPI_Type_create_indexed_block(2, sizeof(struct p), where, MPI_BYTE, &t[n++]);
    MPI_Aint far[2] = {4 * sizeof(struct p), sizeof(struct p)};
    MPI_Type_create_hindexed(2, few, far, MPI_BYTE, &t[n++]);
    MPI_Type_create_hindexed_block(2, sizeof(struct p), far, MPI_BYTE, &t[n++]);
    int lengths[3] = {sizeof mine[0].c, sizeof mine[0].x, sizeof mine[0].n};
    MPI_Aint each[3] = {offsetof(struct p, c), offsetof(struct p, x), offsetof(struct p, n)};
    MPI_Type_create_hindexed(3, lengths, each, MPI_BYTE, &t[n++]);
    MPI_Datatype bytes[3] = {MPI_BYTE, MPI_BYTE, MPI_BYTE};
    MPI_Type_create_struct(3, lengths, each, bytes, &t[n++]);
    MPI_Type_create_hvector(N, sizeof(long), sizeof(struct p), MPI_BYTE, &t[n]);
    from[n] = &mine[0].n, to[n] = &theirs[0].n;
    n++;
    MPI_Type_vector(2, sizeof(struct p), 3 * sizeof(struct p), MPI_BYTE, &t[n++]);
    int sizes[2] = {3, 2 * sizeof(struct p)}, part[2] = {2, sizeof(struct p)}, start[2] = {1, sizeof(struct p)};
    MPI_Type_create_subarray(2, sizes, part, start, order, MPI_BYTE, &t[n++]);
    int whole[1] = {N * sizeof(struct p)}, distribute[1] = {MPI_DISTRIBUTE_BLOCK}, arguments[1] = {MPI_DISTRIBUTE_DFLT_DARG}, processes[1] = {ranks};
    MPI_Type_create_darray(ranks, rank, 1, whole, distribute, arguments, processes, order, MPI_BYTE, &t[n++]);
    t[n++] = block(4 * sizeof(struct p));
    MPI_Datatype twice;
    MPI_Type_contiguous(sizeof(struct p), MPI_BYTE, &twice);
    MPI_Type_create_resized(twice, 0, 2 * sizeof(struct p), &t[n++]);

    /* The same number everywhere. */
    char text[64], other[64] = "";
    MPI_Type_create_hvector(4, 3, 12, MPI_BYTE, &t[n]);
    from[n] = text, to[n] = other;
    n++;
    int letters[2] = {5, 7}, begin[2] = {30, 2};
    MPI_Type_indexed(2, letters, begin, MPI_BYTE, &t[n]);
    from[n] = text, to[n] = other;
    n++;
    double numbers[24], copy[24] = {0};
    int wide = 4 + argc;
    MPI_Type_create_hvector(4, 2, wide * sizeof(double), MPI_DOUBLE, &t[n]);
    from[n] = numbers, to[n] = copy;
    n++;

    /* Of elements of one byte, by a quotient, by extents, in steps; in parentheses. */
    MPI_Type_vector(N / 2, sizeof(struct p), 2 * sizeof(struct p), MPI_CHAR, &t[n++]);
    MPI_Type_create_hvector(sizeof mine / sizeof *mine, 1, (char *)&mine[1] - (char *)mine, MPI_LONG, &t[n]);
    from[n] = &mine[0].n, to[n] = &theirs[0].n;
    n++;
    MPI_Aint lb, extent;
    MPI_Datatype whole_one = block(sizeof(struct p)), element;
    MPI_Type_create_resized(whole_one, 0, sizeof(struct p), &element);
    MPI_Type_get_extent(element, &lb, &extent);
    (MPI_Type_create_hvector)(N / 2, 1, 2 * extent, element, &t[n++]);
    MPI_Aint steps[N] = {0};
    for (int i = 1; i < N; i++)
        steps[i] = steps[i - 1] + sizeof(struct p);
    MPI_Type_create_hindexed_block(N, 1, steps, MPI_DOUBLE, &t[n]);
    from[n] = &mine[0].x, to[n] = &theirs[0].x;
    n++;
    t[n] = rows(N / 2, (char *)(mine + 2) - (char *)mine, MPI_DOUBLE);
    from[n] = &mine[0].x, to[n] = &theirs[0].x;
    n++;
    MPI_Type_create_hindexed_block(1, 1, &described[1].at, MPI_LONG, &t[n++]);
    for (int i = 0; i < n; i++)
        MPI_Type_commit(&t[i]);

    for (int round = 0; round < 3; round++) {
        fill(round);
        for (int i = 0; i < 64; i++)
            text[i] = (char)(' ' + i + round + rank);
        for (int i = 0; i < 24; i++)
            numbers[i] = i * 1.5 + rank + round;
#pragma pc3 checkpoint
        for (int i = 0; i < n; i++) {
            memset(theirs, 0, sizeof theirs);
            MPI_Sendrecv(from[i], 1, t[i], (rank + 1) % ranks, i, to[i], 1, t[i], (rank + ranks - 1) % ranks, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int k = 0; k < 24; k++)
                mix((unsigned)(8 * copy[k]));
            for (int k = 0; k < 64; k++)
                mix((unsigned)other[k]);
            show_all("sum", sum(theirs));
        }
        mix((unsigned)(four.y + four.z));
    }
    for (int i = 0; i < n; i++)
        MPI_Type_free(&t[i]);
    free(on_heap);
    return mpi_finish();
}
