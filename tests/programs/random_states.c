/* pc3-test: seq */
/* Generators with states of their own: initstate, setstate, and those that keep everything in the caller's memory. */
#define _GNU_SOURCE
#include "check.h"

static char states[5][300];
static const size_t sizes[5] = {8, 40, 64, 131, 256};

struct pair {
    struct drand48_data data;
    unsigned short words[3];
};

static void reentrant(void)
{
    struct pair pair;
    unsigned seed = 5;
    double real;
    long number;
    memset(&pair, 0, sizeof pair);
    srand48_r(77, &pair.data);
    for (int i = 0; i < 5; i++) {
#pragma pc3 checkpoint
        drand48_r(&pair.data, &real);
        lrand48_r(&pair.data, &number);
        show_real("real", real);
        show("number", number);
        erand48_r(pair.words, &pair.data, &real);
        show_real("other", real);
        show("simple", rand_r(&seed));
    }
    struct random_data data;
    int32_t state[32], drawn;
    memset(&data, 0, sizeof data);
    initstate_r(9, (char *)state, sizeof state, &data);
    for (int i = 0; i < 40; i++) {
#pragma pc3 checkpoint
        random_r(&data, &drawn);
        show("drawn", drawn);
    }
}

int main(void)
{
    char *old = NULL;
    show("first", random());
    for (int k = 0; k < 5; k++) {
        char *before = initstate(11 * k + 1, states[k], sizes[k]);
        show("before", k ? before == states[k - 1] : 0);
        if (!k)
            old = before;
#pragma pc3 checkpoint
        show("random", random());
    }
    for (int i = 0; i < 60; i++) {
        int k = (i * i + 3 * i) % 5;
        char *before = setstate(states[k]);
        for (int j = 0; j <= i % 4; j++) {
#pragma pc3 checkpoint
            show("random", random() + rand() % 10);
        }
        show("before", (before - states[0]) / (long)sizeof states[0]);
        if (i % 13 == 5)
            srandom(i);
    }
    setstate(old);
    show("small", initstate(1, states[0], 7) == NULL);
#pragma pc3 checkpoint
    show("again", random());
    reentrant();
    return finish();
}
