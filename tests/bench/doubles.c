/* A gibibyte of doubles: how long a checkpoint stalls the program, seen by the program; with a second argument so many
 * checkpoints, some seconds apart; with a third 5 % change between two of them: 1 together, 2 each 20th page, 3 together,
 * elsewhere each time; with a fourth so many seconds apart. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv)
{
    size_t n = (argc > 1 ? strtoul(argv[1], 0, 10) : 1024) << 17;
    double *x = malloc(n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        x[i] = 1.0 / (i + 1);
    int turns = argc > 2 ? atoi(argv[2]) : 1;
    int changes = argc > 3 ? atoi(argv[3]) : 0;
    int apart = argc > 4 ? atoi(argv[4]) : 4;
    double stall = 0, early = 0, late = 0;
    for (int turn = 0; turn < turns; turn++) {
        if (turn)
            sleep(apart);
        for (size_t i = 0; turn && changes == 1 && i < n / 20; i++)
            x[i] += turn;
        for (size_t i = 0; turn && changes == 2 && i < n; i += 20 * 512)
            x[i] += turn;
        for (size_t i = 0; turn && changes == 3 && i < n / 20; i++)
            x[(turn * (n / 20) + i) % n] += turn;
        double t = now();
#pragma pc3 checkpoint
        stall = now() - t;
        if (!turn)
            printf("first %.4f\n", stall);
        if (turn >= 20 && turn < 70)
            early += stall / 50;
        if (turn >= turns - 50)
            late += stall / 50;
    }
    printf("stall %.4f\n", stall);
    printf("early %.4f\nlate %.4f\n", early, late);
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    printf("at %.6f\n", at.tv_sec + 1e-9 * at.tv_nsec);
    double sum = 0;
    for (size_t i = 0; i < n; i += 4096)
        sum += x[i];
    printf("sum %.17g\n", sum);
    return 0;
}
