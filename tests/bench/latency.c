/* Message passing: half round trip, message rate, barrier, allreduce, bcast, alltoall; microseconds, median of
 * batches, printed by rank 0 as "name value" lines.  Runs under any MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 15, LARGE = 16 << 20 };
static int rank, size;
static char *sendbuf, *recvbuf;

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void report(const char *name, void (*once)(int, int), int bytes, int reps, double divide)
{
    double t[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double t0 = MPI_Wtime();
        once(bytes, reps);
        double t1 = MPI_Wtime();
        if (b >= 0)
            t[b] = (t1 - t0) / reps / divide * 1e6;
    }
    qsort(t, BATCHES, sizeof *t, order);
    if (rank == 0)
        printf("%s %.4f\n", name, t[BATCHES / 2]);
}

static void ping(int bytes, int reps)
{
    for (int i = 0; i < reps; i++) {
        if (rank == 0) {
            MPI_Send(sendbuf, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(recvbuf, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(recvbuf, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(sendbuf, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
    }
}

static void rate(int bytes, int reps)
{
    enum { WINDOW = 64 };
    MPI_Request r[WINDOW];
    for (int i = 0; i < reps; i += WINDOW) {
        for (int j = 0; j < WINDOW; j++) {
            if (rank == 0)
                MPI_Isend(sendbuf, bytes, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &r[j]);
            else if (rank == 1)
                MPI_Irecv(recvbuf, bytes, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &r[j]);
        }
        if (rank < 2)
            MPI_Waitall(WINDOW, r, MPI_STATUSES_IGNORE);
    }
}

static void barrier(int bytes, int reps)
{
    (void)bytes;
    for (int i = 0; i < reps; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(int bytes, int reps)
{
    for (int i = 0; i < reps; i++)
        MPI_Allreduce(sendbuf, recvbuf, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast(int bytes, int reps)
{
    for (int i = 0; i < reps; i++)
        MPI_Bcast(recvbuf, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void alltoall(int bytes, int reps)
{
    for (int i = 0; i < reps; i++)
        MPI_Alltoall(sendbuf, bytes, MPI_CHAR, recvbuf, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int scale = argc > 1 ? atoi(argv[1]) : 100; /* per cent of the usual repetitions */
    /* With many ranks big blocks measure the machine's memory. */
    size_t block = size <= 64 ? 4096 : 64, bytes = block * size > (1 << 20) || size > 64 ? block * size : 1 << 20;
    sendbuf = malloc(bytes);
    recvbuf = malloc(bytes);
    /* Not zeros: memory from calloc that is only read is one page, which every cache holds. */
    memset(sendbuf, 1, bytes);
    memset(recvbuf, 1, bytes);
#define REPS(n) ((n) * scale / 100 > 0 ? (n) * scale / 100 : 1)
    if (size >= 2) {
        report("pingpong_8", ping, 8, REPS(10000), 2);
        report("pingpong_1k", ping, 1024, REPS(10000), 2);
        report("pingpong_64k", ping, 65536, REPS(1000), 2);
        if (size <= 64)
            report("pingpong_1m", ping, 1 << 20, REPS(100), 2);
        if (size <= 16) {
            sendbuf = realloc(sendbuf, LARGE), recvbuf = realloc(recvbuf, LARGE);
            memset(sendbuf, 1, LARGE), memset(recvbuf, 1, LARGE);
            report("pingpong_16m", ping, LARGE, REPS(5), 2);
        }
        report("rate_8", rate, 8, REPS(6400), 1);
    }
    report("barrier", barrier, 0, REPS(20000 / size), 1);
    report("allreduce_8", allreduce, 8, REPS(20000 / size), 1);
    if (size <= 64)
        report("bcast_1m", bcast, 1 << 20, REPS(200 / size), 1);
    report("alltoall_64", alltoall, 64, REPS(4000 / size), 1);
    if (size <= 64)
        report("alltoall_4k", alltoall, 4096, REPS(4000 / size / size), 1);
    MPI_Finalize();
    return 0;
}
