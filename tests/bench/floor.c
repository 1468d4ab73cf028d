/* What a machine's memory and caches take, whoever uses them.
 * floor lines      for each pair of processors: nanoseconds for a cache line from one to the other
 * floor copy A B   microseconds for what a broadcast of 1 MiB to 64 ranks writes, by processor A, and by A and B */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MIB = 1 << 20, COPIES = 63, PIECE = 128 << 10, TURNS = 20000, ROUNDS = 7 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void stay_on(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static _Alignas(128) _Atomic int turn;

static void *answer(void *cpu)
{
    stay_on(*(int *)cpu);
    for (int i = 0; i < TURNS; i++) {
        while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 1)
            ;
        atomic_store_explicit(&turn, 2 * i + 2, memory_order_release);
    }
    return NULL;
}

static double line(int a, int b)
{
    pthread_t t;
    atomic_store(&turn, 0);
    stay_on(a);
    pthread_create(&t, NULL, answer, &b);
    double begun = 0;
    for (int i = 0; i < TURNS; i++) {
        if (i == TURNS / 10)
            begun = now();
        atomic_store_explicit(&turn, 2 * i + 1, memory_order_release);
        while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 2)
            ;
    }
    double took = now() - begun;
    pthread_join(t, NULL);
    return took / (TURNS - TURNS / 10) / 2 * 1e9;
}

static char *from, *to;

/* A piece to all, then the next: what is read stays in the cache. */
static void copy(int first, int last)
{
    for (int at = 0; at < MIB; at += PIECE)
        for (int i = first; i < last; i++)
            memcpy(to + (size_t)i * MIB + at, from + at, PIECE);
}

static _Atomic int ready, done;

static void *help(void *cpu)
{
    stay_on(*(int *)cpu);
    for (int i = 1; i <= ROUNDS; i++) {
        while (atomic_load(&ready) < i)
            ;
        copy(COPIES / 2, COPIES);
        atomic_store(&done, i);
    }
    return NULL;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        cpu_set_t all;
        sched_getaffinity(0, sizeof all, &all);
        for (int a = 0; a < CPU_SETSIZE; a++)
            for (int b = a + 1; b < CPU_SETSIZE; b++)
                if (CPU_ISSET(a, &all) && CPU_ISSET(b, &all))
                    printf("%d %d %.1f\n", a, b, least(line(a, b), line(a, b)));
        return 0;
    }
    if (argc != 4)
        return 1;
    int a = atoi(argv[2]), b = atoi(argv[3]);
    from = malloc(MIB), to = malloc((size_t)COPIES * MIB);
    memset(from, 1, MIB), memset(to, 1, (size_t)COPIES * MIB);
    double one = 1e9, two = 1e9;
    pthread_t t;
    pthread_create(&t, NULL, help, &b);
    stay_on(a);
    for (int i = 1; i <= ROUNDS; i++) {
        double begun = now();
        copy(0, COPIES);
        one = least(one, now() - begun);
        begun = now();
        atomic_store(&ready, i);
        copy(0, COPIES / 2);
        while (atomic_load(&done) < i)
            ;
        two = least(two, now() - begun);
    }
    pthread_join(t, NULL);
    printf("%.1f %.1f\n", one * 1e6, two * 1e6);
    return 0;
}
