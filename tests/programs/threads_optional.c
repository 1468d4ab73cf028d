/* pc3-test: seq flags=-pthread */
/* A worker that threads run, or the program itself where it needs one only: its location counts there, and is passed by in
 * threads, whose locals of kept addresses and arrays of variable length lie on stacks of their own. */
#include "check.h"

#include <pthread.h>

struct part {
    int from, to, sum;
};

static const int *last;

static void add(int *to, int n)
{
    last = to;
    *to += n;
}

static int deep(int n)
{
    int own = n, list[n + 1];
    for (int k = 0; k <= n; k++)
        list[k] = k;
#pragma pc3 checkpoint
    add(&own, list[n]);
    if (n > 0)
        add(&own, deep(n - 1));
    return own;
}

static void *work(void *p)
{
    struct part *part = p;
    int sum = 0;
    for (int k = part->from; k < part->to; k++) {
#pragma pc3 checkpoint
        add(&sum, k);
    }
    add(&sum, deep(9));
    part->sum = sum;
    return NULL;
}

/* What a thread is called here means nothing elsewhere. */
static int by_threads(struct part *parts)
{
    pthread_t threads[2];
    for (int k = 0; k < 2; k++)
        if (pthread_create(&threads[k], NULL, work, &parts[k]) != 0)
            return 0;
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    return 1;
}

int main(void)
{
    struct part parts[3] = {{0, 5, 0}, {5, 9, 0}, {9, 12, 0}};
    if (!by_threads(parts))
        return EXIT_FAILURE;
    work(&parts[2]);
    for (int k = 0; k < 3; k++)
        show("part", parts[k].sum);
    return finish();
}
