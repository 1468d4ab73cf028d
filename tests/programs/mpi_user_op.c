/* pc3-test: mpi ranks=5 */
/* Reduction operations of the program's own, one of them not commutative, on its own type;
 * predefined ones beside them. */
#include "mpi_check.h"

struct matrix {
    int a, b, c, d;
};

/* Matrix product modulo 10007: the order of ranks matters. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const struct matrix *left = in;
    struct matrix *right = inout;
    for (int i = 0; i < *count; i++) {
        struct matrix l = left[i], r = right[i];
        right[i].a = (l.a * r.a + l.b * r.c) % 10007;
        right[i].b = (l.a * r.b + l.b * r.d) % 10007;
        right[i].c = (l.c * r.a + l.d * r.c) % 10007;
        right[i].d = (l.c * r.b + l.d * r.d) % 10007;
    }
}

static void greatest_divisor(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const int *other = in;
    int *result = inout;
    for (int i = 0; i < *count; i++) {
        int a = other[i], b = result[i];
        while (b) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        result[i] = a;
    }
}

static MPI_Op product, divisor;

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &product);
#pragma pc3 checkpoint
    MPI_Op_create(greatest_divisor, 1, &divisor);
    for (int step = 0; step < 4; step++) {
        struct matrix mine[2] = {{rank + 1, step, 1, 2}, {3, rank, step, 1}}, all[2];
#pragma pc3 checkpoint
        MPI_Allreduce(mine, all, 2, type, product, MPI_COMM_WORLD);
        show_all("product", all[0].a * 3 + all[0].b + all[1].c + all[1].d);
        MPI_Scan(mine, all, 2, type, product, MPI_COMM_WORLD);
        show_all("scan", all[0].b * 2 + all[1].a);
#pragma pc3 checkpoint
        int numbers[2] = {12 * (rank + 1) * (step + 2), 30 * (rank + 2)}, common[2] = {-1, -1};
        MPI_Reduce(numbers, common, 2, MPI_INT, divisor, step % ranks, MPI_COMM_WORLD);
        show_all("divisor", common[0] * 100 + common[1]);
        struct {
            double value;
            int rank;
        } place = {(rank * 7 + step * 3) % 5, rank}, best;
        MPI_Allreduce(&place, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
        show_all("least", best.rank * 10 + (int)best.value);
        unsigned bits = 1u << rank | (unsigned)step, any, parity;
        MPI_Allreduce(&bits, &any, 1, MPI_UNSIGNED, MPI_BOR, MPI_COMM_WORLD);
        MPI_Allreduce(&bits, &parity, 1, MPI_UNSIGNED, MPI_BXOR, MPI_COMM_WORLD);
        show_all("bits", (int)(any * 100 + parity));
        double largest, value = 1.0 / (rank + 1 + step);
        MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        show_all("largest", largest == 1.0 / (1 + step));
    }
    MPI_Op_free(&product);
    MPI_Op_free(&divisor);
    MPI_Type_free(&type);
    return mpi_finish();
}
