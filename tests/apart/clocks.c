/* pc3-test: mpi ranks=4 */
/* Ranks act on what only the system knows: whom they send to, how much, and what. Each sum of what was sent must be that of
 * what was received, whatever the numbers were. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 4000, QUESTIONS = 11 };

static time_t (*ask)(time_t *) = time;

/* Something else each time, from one source after the other. */
static unsigned outside(int round)
{
    unsigned number = 0;
#ifdef ENTROPY
    unsigned char byte[4];
    int device;
#endif
    struct timespec t = {0, 0};
    struct timeval v = {0, 0};
    struct tms s;
    struct rusage used;
    switch (round % QUESTIONS) {
    case 0:
        number = (unsigned)ask(0);
        return number ^ (unsigned)time(0) * 3u;
    case 1:
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (unsigned)t.tv_nsec + (unsigned)t.tv_sec;
    case 2:
        gettimeofday(&v, 0);
        return (unsigned)v.tv_usec + (unsigned)v.tv_sec;
#ifdef ENTROPY
    case 3:
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            MPI_Abort(MPI_COMM_WORLD, 3);
        return number;
    case 4:
        if (getentropy(&number, sizeof number))
            MPI_Abort(MPI_COMM_WORLD, 4);
        return number;
    case 5:
        device = open("/dev/urandom", O_RDONLY);
        if (read(device, byte, sizeof byte) != sizeof byte)
            MPI_Abort(MPI_COMM_WORLD, 5);
        close(device);
        return byte[0] | byte[1] << 8 | byte[2] << 16;
#else
    case 3:
        return arc4random();
    case 4:
        return arc4random_uniform(1000003);
#endif
    case 6:
        return (unsigned)clock();
    case 7:
        number = (unsigned)times(&s);
        return number + (unsigned)s.tms_utime + (unsigned)s.tms_stime;
    case 8:
        getrusage(RUSAGE_SELF, &used);
        return (unsigned)used.ru_utime.tv_usec + (unsigned)used.ru_minflt + (unsigned)used.ru_nivcsw;
    case 9:
        /* One that fails says so again. */
        return clock_gettime(9999, &t) == -1 && timespec_get(&t, 0) == 0 ? 9 : 0;
    default:
        timespec_get(&t, TIME_UTC);
        return (unsigned)t.tv_nsec;
    }
}

int main(int argc, char **argv)
{
    int rank, ranks, ends = 0;
    /* By partner: sums of what went there, and of what came from there. */
    unsigned sent[16] = {0}, got[16] = {0}, theirs[16], wrong = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned out[3], in[3];
        MPI_Status status;
        unsigned number = outside(round);
        int hops = 1 + (int)(number / 7 % (unsigned)(ranks - 1)), n = 1 + (int)(number % 3), count = 0;
        int to = (rank + hops) % ranks;
        for (int i = 0; i < n; i++)
            sent[to] += out[i] = number * (unsigned)(i + 1) + outside(round + i);
        MPI_Send(out, n, MPI_UNSIGNED, to, 1, MPI_COMM_WORLD);
        /* Whoever has sent something by now. */
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &count, &status);
        if (count) {
            MPI_Recv(in, 3, MPI_UNSIGNED, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_UNSIGNED, &n);
            for (int i = 0; i < n; i++)
                got[status.MPI_SOURCE] += in[i];
            ends += n == 0;
        }
        if (round % (3 + rank) == 0) {
#pragma pc3 checkpoint
        }
        /* And the next, so that nobody is far ahead. */
        number = outside(round + 5);
        MPI_Sendrecv_replace(&number, 1, MPI_UNSIGNED, (rank + 1) % ranks, 2, (rank + ranks - 1) % ranks, 2,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    /* What is on its way still. */
    for (int i = 0; i < ranks; i++)
        MPI_Send(0, 0, MPI_UNSIGNED, i, 1, MPI_COMM_WORLD);
    while (ends < ranks) {
        unsigned in[3];
        MPI_Status status;
        int n;
        MPI_Recv(in, 3, MPI_UNSIGNED, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_UNSIGNED, &n);
        for (int i = 0; i < n; i++)
            got[status.MPI_SOURCE] += in[i];
        ends += n == 0;
    }
    MPI_Alltoall(sent, 1, MPI_UNSIGNED, theirs, 1, MPI_UNSIGNED, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        wrong += theirs[i] != got[i];
    MPI_Reduce(&wrong, &all, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%u of %d sums differ\n", all, ranks * ranks);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
