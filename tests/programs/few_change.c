/* pc3-test: seq args=60000,12 */
/* Little of what it has changes between two locations: a part of an array, some pages here and there, a node of a list. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long value;
};

static double still[20000];
static long counts[30000];

static struct node *list(int n)
{
    struct node *head = 0;
    for (int i = 0; i < n; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = head;
        node->value = i % 17;
        head = node;
    }
    return head;
}

static void report(int step, const double *a, int n, const struct node *head)
{
    double sum = 0;
    long total = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    for (int i = 0; i < 20000; i++) sum += still[i];
    for (int i = 0; i < 30000; i++) total += counts[i];
    for (; head; head = head->next) total = total * 3 % 1000003 + head->value;
    printf("%d: %.10g %ld\n", step, sum, total);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 60000, steps = argc > 2 ? atoi(argv[2]) : 12;
    double *a = malloc(n * sizeof *a);
    struct node *head = list(5000);
    double *more = 0;
    int last = 0;
    for (int i = 0; i < n; i++) a[i] = i * .25;
    for (int i = 0; i < 20000; i++) still[i] = 1. / (i + 1);
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n / 20; i++) a[(step * 31 + i) % n] += step;
        for (int i = step; i < 30000; i += 20 * 512) counts[i]++;
        struct node *node = head;
        for (int i = 0; i < 100 * step; i++) node = node->next;
        node->value += step;
        if (step % 4 == 3) {
            /* Something that lies in front of what follows it in memory, or behind. */
            free(more);
            more = calloc(7000 * step, sizeof *more);
            more[step] = step;
            last = step;
        }
#pragma pc3 checkpoint
        report(step, a, n, head);
        if (more) printf("%g\n", more[last]);
    }
    return 0;
}
