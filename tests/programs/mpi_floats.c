/* pc3-test: mpi ranks=4 */
/* Each rank has a floating-point environment, as if it were a process of its own. */
#include "mpi_check.h"
#include <fenv.h>

static volatile double one = 1, three = 3, zero;

static int last_digits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits & 255);
}

static int flags(void)
{
    int all = fetestexcept(FE_ALL_EXCEPT);
    return !!(all & FE_INVALID) + 2 * !!(all & FE_DIVBYZERO) + 4 * !!(all & FE_INEXACT);
}

static double thirds(int rank, int round)
{
    double sum = one / three;
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    if (round)
        sum += thirds(rank, round - 1);
    return sum / three;
}

int main(int argc, char **argv)
{
    static const int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    show_all("first", flags() + last_digits(one / three));
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(directions[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    show_all("third", last_digits(one / three));
    show_all("flags", flags());
    feclearexcept(FE_ALL_EXCEPT);
    volatile double r = rank == 1 ? one / zero : rank == 2 ? zero / zero : one;
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    show_all("flags", flags());
    show_all("sums", last_digits(thirds(rank, 3)));
    show_all("round", fegetround() == directions[rank]);
    r = rank / three;
    double all[4], sum;
    MPI_Allgather((void *)&r, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
#pragma pc3 checkpoint
    double mine = all[3] * all[2] + all[1];
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    show_all("sum", last_digits(sum));
    show_all("mine", last_digits(mine));
    show_all("flags", flags());
    fesetround(FE_TONEAREST);
    return mpi_finish();
}
