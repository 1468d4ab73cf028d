#include "force.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Squared softening length: keeps close encounters finite. */
static const double softening = 0.01;

static double newton_pull(double square)
{
    double s = square + softening;
    return 1 / (s * sqrt(s));
}

static double newton_potential(double square)
{
    return -1 / sqrt(square + softening);
}

static double cubic_pull(double square)
{
    double s = square + softening;
    return 1 / (s * s);
}

static double cubic_potential(double square)
{
    return -0.5 / (square + softening);
}

static double spring_pull(double square)
{
    (void)square;
    return 1;
}

static double spring_potential(double square)
{
    return 0.5 * square;
}

static const struct law laws[] = {
    {"newton", newton_pull, newton_potential},
    {"cubic", cubic_pull, cubic_potential},
    {"spring", spring_pull, spring_potential},
};

const struct law *law_number(int index)
{
    return index < (int)(sizeof laws / sizeof *laws) ? &laws[index] : NULL;
}

const struct law *find_law(const char *name)
{
    for (int i = 0; law_number(i); i++)
        if (strcmp(laws[i].name, name) == 0)
            return &laws[i];
    return NULL;
}
