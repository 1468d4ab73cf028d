/* pc3-test: seq */
/* Its checkpoints of earlier releases go on (tests/suites/released.rs): nothing in this file may change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum shape { CIRCLE, SQUARE };

struct item {
    char name[10];
    enum shape shape;
    union {
        double radius;
        short side;
    } size;
    unsigned seen : 5, marked : 1;
    struct item *next;
    long double precise;
};

static double circle(const struct item *i) { return 3.0 * i->size.radius * i->size.radius; }
static double square(const struct item *i) { return (double)i->size.side * i->size.side; }

static double (*const areas[])(const struct item *) = {circle, square};
static const char *phase = "filling";
static struct item *first;
static long steps;

static struct item *made(int n)
{
    struct item *i = malloc(sizeof *i);
    snprintf(i->name, sizeof i->name, "item-%d", n);
    i->shape = n % 2 ? SQUARE : CIRCLE;
    if (i->shape == SQUARE)
        i->size.side = (short)(n * 3);
    else
        i->size.radius = n / 4.0;
    i->seen = 0;
    i->marked = n % 3 == 0;
    i->precise = n / 8.0L;
    i->next = first;
    return first = i;
}

static double walk(struct item **at, int depth, const int *weights)
{
    double here[3] = {depth, depth * 0.5, depth * 0.25};
    struct item *item = *at;
    if (!item)
        return 0;
    item->seen++;
    steps++;
#pragma pc3 checkpoint
    double rest = walk(&item->next, depth + 1, weights);
    double (*area)(const struct item *) = areas[item->shape];
    return rest + area(item) * weights[depth % 4] + here[depth % 3];
}

int main(void)
{
    int n = 9;
    int weights[n];
    double *sums = calloc(4, sizeof *sums);
    const char *words[] = {"north", "east", "south", phase};
    for (int i = 0; i < n; i++) {
        weights[i] = i * i - 3;
        made(i);
    }
    phase = "walking";
    for (int round = 0; round < 4; round++) {
        sums[round] = walk(&first, round, weights);
        char *copy = strdup(words[round]);
        printf("%s %s %.17g %ld\n", phase, copy, sums[round], steps);
        free(copy);
        if (round == 2)
            made(n + round);
    }
    for (struct item *i = first; i; i = i->next)
        printf("%s %d %d %.6Lf %.3f\n", i->name, i->seen, i->marked, i->precise, areas[i->shape](i));
    printf("%d\n", words[3] == phase);
    return 0;
}
