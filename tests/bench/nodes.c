/* A million small nodes in a shuffled list: stall of a checkpoint, seen by the program. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct node {
    struct node *next, *other;
    long key;
    double weight;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], 0, 10) : 1000000;
    struct node **all = malloc(n * sizeof *all);
    for (long i = 0; i < n; i++) {
        struct node *p = malloc(sizeof *p);
        p->key = i;
        p->weight = 0.5 * i;
        all[i] = p;
    }
    unsigned long r = 1;
    for (long i = n - 1; i > 0; i--) {
        r = r * 6364136223846793005u + 1442695040888963407u;
        long j = (long)((r >> 33) % (unsigned long)(i + 1));
        struct node *t = all[i];
        all[i] = all[j];
        all[j] = t;
    }
    for (long i = 0; i < n; i++) {
        all[i]->next = i + 1 < n ? all[i + 1] : 0;
        all[i]->other = all[(i * 7919) % n];
    }
    struct node *head = all[0];
    free(all);
    double t = now();
#pragma pc3 checkpoint
    printf("stall %.4f\n", now() - t);
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    printf("at %.6f\n", at.tv_sec + 1e-9 * at.tv_nsec);
    unsigned long sum = 0;
    for (struct node *p = head; p; p = p->next)
        sum = sum * 31 + (unsigned long)p->key + (unsigned long)p->other->key;
    printf("sum %lu\n", sum & 0xffffffff);
    return 0;
}
