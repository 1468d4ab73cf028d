/* pc3-test: mpi ranks=3 */
/* Types by the digits and ranges that they have to hold, kept across locations and made again behind them. */
#include "mpi_check.h"

static void show_envelope(const char *what, MPI_Datatype type)
{
    int ints, addresses, types, combiner, given[2] = {0, 0};
    MPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner);
    MPI_Aint none;
    MPI_Datatype nothing;
    MPI_Type_get_contents(type, ints, 0, 0, given, &none, &nothing);
    const char *by = combiner == MPI_COMBINER_F90_REAL      ? "real"
                     : combiner == MPI_COMBINER_F90_COMPLEX ? "complex"
                     : combiner == MPI_COMBINER_F90_INTEGER ? "integer"
                                                            : "other";
    int size;
    MPI_Type_size(type, &size);
    show_all(what, size * 1000 + ints * 100 + addresses * 10 + types);
    show_all(by, given[0] * 1000 + (ints > 1 ? given[1] : 0));
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Datatype real, complex, integer, small, rows;
    MPI_Type_create_f90_real(10, 100, &real);
    MPI_Type_create_f90_complex(5, 20, &complex);
    MPI_Type_create_f90_integer(7, &integer);
    MPI_Type_create_f90_integer(3, &small);
    MPI_Type_vector(2, 1, 2, real, &rows);
    MPI_Type_commit(&rows);
    double values[4] = {rank + 0.5, rank * 2.0, rank * 3.0, rank - 0.25};
    for (int step = 0; step < 3; step++) {
        double got[4] = {0}, sum;
        float pair[2] = {(float)rank, (float)step}, other[2];
        int most, mine = rank * 7 % 5 + step;
        short few = (short)(rank * 100 + step);
        MPI_Sendrecv(values, 1, rows, next, step, got, 2, real, last, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma pc3 checkpoint
        MPI_Sendrecv(pair, 1, complex, next, 9, other, 1, complex, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&values[step], &sum, 1, real, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&mine, &most, 1, integer, MPI_MAX, MPI_COMM_WORLD);
        MPI_Bcast(&few, 1, small, step, MPI_COMM_WORLD);
        show_all("rows", (int)(4 * got[0] + 100 * got[1]));
        show_all("others", (int)(other[0] * 10 + other[1]));
        show_all("sums", (int)(4 * sum));
        show_all("most", most * 1000 + few);
        MPI_Datatype again;
        MPI_Type_create_f90_real(10, 100, &again);
        show_all("the same", again == real);
        values[step] += sum;
    }
    show_envelope("real", real);
    show_envelope("complex", complex);
    show_envelope("integer", integer);
    show_envelope("small", small);
#pragma pc3 checkpoint
    char packed[64];
    MPI_Aint size, at = 0;
    MPI_Pack_external_size("external32", 4, real, &size);
    MPI_Pack_external("external32", values, 4, real, packed, sizeof packed, &at);
    show_all("packed", (int)(size * 100 + at));
    for (int i = 0; i < at; i++)
        mix((unsigned char)packed[i]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int none = MPI_Type_create_f90_real(400, 9, &real) != MPI_SUCCESS;
    show_all("too many digits", none);
    MPI_Type_free(&rows);
    return mpi_finish();
}
