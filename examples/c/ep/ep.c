/* pc3-test: mpi ranks=16 args=S */
/* NAS kernel EP: Gaussian deviates by the polar method from 2^m pairs of uniform random
 * numbers, counted in square annuli.  Ranks take batches in turn and meet only at the end. */
#include "../npb/npb.h"

#include <math.h>

enum { BATCH_LOG2 = 10, BATCH = 1 << BATCH_LOG2, ANNULI = 10, REPORTS = 8 };

static const struct {
    int m;
    double sx, sy;
} classes[] = {
    {24, -3.247834652034740e+3, -6.958407078382297e+3},
    {25, -2.863319731645753e+3, -6.320053679109499e+3},
    {28, -4.295875165629892e+3, -1.580732573678431e+4},
};

struct tally {
    double sx, sy;
    double count[ANNULI];
};

/* Natural logarithm for normal positive x.  The libraries' logarithms differ in the last
 * bit between machines; this one is plain arithmetic: x = 2^e m, log m = 2 atanh((m-1)/(m+1)). */
static inline double portable_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    double s = (m - 1) / (m + 1), z = s * s;
    double series = 1.0 / 23;
    series = series * z + 1.0 / 21;
    series = series * z + 1.0 / 19;
    series = series * z + 1.0 / 17;
    series = series * z + 1.0 / 15;
    series = series * z + 1.0 / 13;
    series = series * z + 1.0 / 11;
    series = series * z + 1.0 / 9;
    series = series * z + 1.0 / 7;
    series = series * z + 1.0 / 5;
    series = series * z + 1.0 / 3;
    return e * 0.693147180559945309417 + 2 * (s + s * z * series);
}

static void run_batch(int64_t batch, struct tally *tally)
{
    double numbers[2 * BATCH];
    uint64_t x = npb_skip(NPB_EP_SEED, (uint64_t)batch * 2 * BATCH);
    for (int i = 0; i < 2 * BATCH; i++)
        numbers[i] = npb_random(&x, NPB_MULT);

    double sx = 0, sy = 0;
    for (int i = 0; i < BATCH; i++) {
        double x1 = 2 * numbers[2 * i] - 1, x2 = 2 * numbers[2 * i + 1] - 1;
        double t = x1 * x1 + x2 * x2;
        if (t > 1)
            continue;
        double factor = sqrt(-2 * portable_log(t) / t);
        double gx = x1 * factor, gy = x2 * factor;
        double ax = fabs(gx), ay = fabs(gy);
        tally->count[(int)(ax > ay ? ax : ay)] += 1;
        sx += gx;
        sy += gy;
    }
    tally->sx += sx;
    tally->sy += sy;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int class = npb_class(argc, argv);
    int64_t batches = INT64_C(1) << (classes[class].m - BATCH_LOG2);
    int ranks = npb_ranks(1024), rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    npb_timed(1);
    struct tally mine = {0}, all;
    int64_t rounds = batches / ranks, report = rounds / REPORTS > 0 ? rounds / REPORTS : 1;
    for (int64_t round = 0; round < rounds; round++) {
#pragma pc3 checkpoint
        run_batch(round * ranks + rank, &mine);
        if (rank == 0 && (round + 1) % report == 0)
            printf("rank 0: %d batches, sums %.17g %.17g\n", (int)(round + 1), mine.sx, mine.sy);
    }
    MPI_Allreduce(&mine.sx, &all.sx, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine.sy, &all.sy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(mine.count, all.count, ANNULI, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

    npb_timed(0);
    if (rank == 0) {
        double pairs = 0;
        for (int i = 0; i < ANNULI; i++) {
            printf("%d %.0f\n", i, all.count[i]);
            pairs += all.count[i];
        }
        printf("Gaussian pairs %.0f, sums %.17g %.17g\n", pairs, all.sx, all.sy);
    }
    int ok = npb_close(all.sx, classes[class].sx, 1e-8) && npb_close(all.sy, classes[class].sy, 1e-8);
    int status = npb_verdict("EP", class, ok);
    MPI_Finalize();
    return status;
}
