/* What the NAS kernels in the neighbouring folders share: the benchmark's random numbers,
 * its problem classes, and how a run is checked and reported.
 *
 * The generator is x(k+1) = 5^13 x(k) mod 2^46, with x(k) / 2^46 as the random number; in
 * 64-bit unsigned arithmetic that is one multiplication and a mask. */
#ifndef NPB_H
#define NPB_H

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPB_SEED UINT64_C(314159265)
#define NPB_EP_SEED UINT64_C(271828183)
#define NPB_MULT UINT64_C(1220703125)
#define NPB_MASK ((UINT64_C(1) << 46) - 1)

/* Advances *x by one step of multiplier a and returns the number in (0, 1). */
static inline double npb_random(uint64_t *x, uint64_t a)
{
    *x = *x * a & NPB_MASK;
    return (double)(int64_t)*x * 0x1p-46;
}

/* a^n mod 2^46: the multiplier that does n steps at once. */
static inline uint64_t npb_power(uint64_t a, uint64_t n)
{
    uint64_t result = 1;
    for (; n; n >>= 1) {
        if (n & 1)
            result = result * a & NPB_MASK;
        a = a * a & NPB_MASK;
    }
    return result;
}

/* The generator's state n numbers after seed. */
static inline uint64_t npb_skip(uint64_t seed, uint64_t n)
{
    return seed * npb_power(NPB_MULT, n) & NPB_MASK;
}

/* Begins, or ends, what the benchmark defines to be timed: without what a kernel sets up.  Whoever measures looks at MPI_Pcontrol. */
static inline void npb_timed(int begins)
{
    if (begins)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(begins);
}

/* Ends the program on every rank; rank 0 says why. */
static inline void npb_refuse(const char *format, ...)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        va_list args;
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fputc('\n', stderr);
    }
    MPI_Finalize();
    exit(2);
}

/* The class named by the first argument: an index into "SWA" (default S). */
static inline int npb_class(int argc, char **argv)
{
    static const char classes[] = "SWA";
    if (argc < 2)
        return 0;
    const char *found = strlen(argv[1]) == 1 ? strchr(classes, argv[1][0]) : NULL;
    if (!found || argc > 2)
        npb_refuse("usage: %s [S|W|A]", argv[0]);
    return (int)(found - classes);
}

/* The number of ranks, which must be a power of two no greater than limit. */
static inline int npb_ranks(int limit)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks & (ranks - 1))
        npb_refuse("the number of ranks must be a power of two, not %d", ranks);
    if (ranks > limit)
        npb_refuse("this class can use at most %d ranks, not %d", limit, ranks);
    return ranks;
}

static inline int npb_close(double value, double reference, double tolerance)
{
    double error = (value - reference) / reference;
    return error <= tolerance && error >= -tolerance;
}

/* Rank 0 prints the verdict; the result is the program's exit status. */
static inline int npb_verdict(const char *kernel, int class_index, int ok)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%s class %c: VERIFICATION %s\n", kernel, "SWA"[class_index], ok ? "SUCCESSFUL" : "FAILED");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
