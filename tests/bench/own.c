/* Linked with a program that calls MPI: the processor time that its own work takes, between its calls, of all ranks, and
 * the rest that a process of ranks takes.  Times are the threads' own, so what else the machine does hardly shows; reading them is
 * measured, too, and taken off.  Functions that only ask (sizes, ranks, types) count as the program's work.
 * Prints "own SECONDS rest SECONDS whole SECONDS"; the rest means nothing where a rank is a process, or where workers wait for
 * each other; the whole is what a clock on the wall shows. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double own, since, used, whole, reading;
static long calls;

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double now(void)
{
    return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

int MPI_Init(int *argc, char ***argv)
{
    enum { READS = 1000 };
    int r = PMPI_Init(argc, argv);
    double start = now();
    for (int i = 1; i < READS; i++)
        now();
    reading = (now() - start) / READS;
    used = -clock_of(CLOCK_PROCESS_CPUTIME_ID);
    whole = -clock_of(CLOCK_MONOTONIC);
    since = now();
    return r;
}

#define WITHIN(name, parameters, arguments)   \
    int MPI_##name parameters                 \
    {                                         \
        own += now() - since;                 \
        calls++;                              \
        int r = PMPI_##name arguments;        \
        since = now();                        \
        return r;                             \
    }

WITHIN(Comm_dup, (MPI_Comm c, MPI_Comm *to), (c, to))
WITHIN(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *to), (c, color, key, to))
WITHIN(Comm_free, (MPI_Comm * c), (c))
WITHIN(Cart_create, (MPI_Comm c, int n, const int *dims, const int *periods, int reorder, MPI_Comm *to),
       (c, n, dims, periods, reorder, to))
WITHIN(Sendrecv,
       (const void *a, int n, MPI_Datatype t, int dest, int stag, void *b, int m, MPI_Datatype u, int src, int rtag,
        MPI_Comm c, MPI_Status *s),
       (a, n, t, dest, stag, b, m, u, src, rtag, c, s))
WITHIN(Send, (const void *a, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c), (a, n, t, dest, tag, c))
WITHIN(Recv, (void *b, int n, MPI_Datatype t, int src, int tag, MPI_Comm c, MPI_Status *s), (b, n, t, src, tag, c, s))
WITHIN(Isend, (const void *a, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c, MPI_Request *q),
       (a, n, t, dest, tag, c, q))
WITHIN(Irecv, (void *b, int n, MPI_Datatype t, int src, int tag, MPI_Comm c, MPI_Request *q),
       (b, n, t, src, tag, c, q))
WITHIN(Waitall, (int n, MPI_Request *q, MPI_Status *s), (n, q, s))
WITHIN(Wait, (MPI_Request * q, MPI_Status *s), (q, s))
WITHIN(Barrier, (MPI_Comm c), (c))
WITHIN(Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
WITHIN(Reduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c), (a, b, n, t, op, root, c))
WITHIN(Allreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
WITHIN(Exscan, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (a, b, n, t, o, c))
WITHIN(Allgather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
       (a, n, t, b, m, u, c))
WITHIN(Alltoall, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
       (a, n, t, b, m, u, c))
WITHIN(Alltoallv,
       (const void *a, const int *n, const int *at, MPI_Datatype t, void *b, const int *m, const int *to,
        MPI_Datatype u, MPI_Comm c),
       (a, n, at, t, b, m, to, u, c))

int MPI_Finalize(void)
{
    own += now() - since;
    PMPI_Barrier(MPI_COMM_WORLD);
    used += clock_of(CLOCK_PROCESS_CPUTIME_ID);
    whole += clock_of(CLOCK_MONOTONIC);
    int rank;
    double mine[] = {own, calls}, all[2];
    PMPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "own %.6f rest %.6f whole %.6f\n", all[0] - all[1] * reading, used - all[0] - all[1] * reading, whole);
    return PMPI_Finalize();
}
