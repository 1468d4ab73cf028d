/* pc3-test: mpi ranks=5 */
/* Non-blocking and persistent collectives that some ranks have started at a location and others not. */
#include "mpi_check.h"

static void largest_low(void *in, void *inout, int *len, MPI_Datatype *type)
{
    long *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        b[i] = a[i] * 3 % 1000003 + b[i];
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Op op;
    MPI_Op_create(largest_low, 0, &op);
    MPI_Comm half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    double *part = calloc(4, sizeof *part), *sum = calloc(4, sizeof *sum);
    long *mixed = calloc(3, sizeof *mixed), *total = calloc(3, sizeof *total),
         *upto = calloc(3, sizeof *upto);
    int *all = calloc((size_t)ranks, sizeof *all), *counts = calloc((size_t)ranks, sizeof *counts),
        *places = calloc((size_t)ranks, sizeof *places), *varied = calloc(32, sizeof *varied);
    if (!part || !sum || !mixed || !total || !upto || !all || !counts || !places || !varied)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r < ranks; r++) {
        counts[r] = r + 1;
        places[r] = r * (r + 1) / 2;
    }
    int word = rank * 7;
    MPI_Request steady, r[6];
    MPI_Allgather_init(&word, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &steady);
    MPI_Status status;
#pragma pc3 checkpoint
    for (int step = 0; step < 5; step++) {
        for (int i = 0; i < 4; i++)
            part[i] = (rank + 1) / (step + i + 3.0);
        for (int i = 0; i < 3; i++)
            mixed[i] = rank * 100 + step * 10 + i;
        /* Every other rank starts its share before the location, the others after it. */
        int early = (rank + step) % 2;
        int mine[5] = {0};
        for (int i = 0; i <= rank; i++)
            mine[i] = step * 10 + rank;
        if (early) {
            MPI_Iallreduce(part, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
            MPI_Ireduce(mixed, total, 3, MPI_LONG, op, step % ranks, MPI_COMM_WORLD, &r[1]);
            MPI_Iscan(mixed, upto, 3, MPI_LONG, op, MPI_COMM_WORLD, &r[5]);
            MPI_Start(&steady);
        }
#pragma pc3 checkpoint
        if (!early) {
            MPI_Iallreduce(part, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
            MPI_Ireduce(mixed, total, 3, MPI_LONG, op, step % ranks, MPI_COMM_WORLD, &r[1]);
            MPI_Iscan(mixed, upto, 3, MPI_LONG, op, MPI_COMM_WORLD, &r[5]);
            MPI_Start(&steady);
        }
        MPI_Iallgatherv(mine, rank + 1, MPI_INT, varied, counts, places, MPI_INT, MPI_COMM_WORLD, &r[2]);
        MPI_Ibarrier(half, &r[3]);
        MPI_Comm_idup(half, &copy, &r[4]);
#pragma pc3 checkpoint
        MPI_Wait(&steady, &status);
        MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
#pragma pc3 checkpoint
        int place;
        MPI_Comm_rank(copy, &place);
        MPI_Bcast(&place, 1, MPI_INT, 0, copy);
        show_all("first", place);
        MPI_Comm_free(&copy);
        show_all("sum", (int)(sum[0] * 1e6) ^ (int)(sum[3] * 1e6));
        show_all("total", (int)(total[0] + total[2]));
        show_all("up to here", (int)(upto[0] + upto[2]));
        int s = 0;
        for (int i = 0; i < ranks * (ranks + 1) / 2; i++)
            s = s * 3 % 10007 + varied[i];
        for (int i = 0; i < ranks; i++)
            s += all[i];
        show_all("gathered", s);
        word += step;
    }
    MPI_Request_free(&steady);
    MPI_Op_free(&op);
    MPI_Comm_free(&half);
    free(part);
    free(sum);
    free(mixed);
    free(total);
    free(upto);
    free(all);
    free(counts);
    free(places);
    free(varied);
    return mpi_finish();
}
