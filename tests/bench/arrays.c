/* Loops over several arrays at once: nanoseconds an element, the least of some repetitions, for fifty sizes.  What differs
 * between allocators is where the arrays lie.  Argument: how many arrays, 2 to 6. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIZES = 50, REPEAT = 9 };

/* Widths that programs like: powers of two, with and without a border, and round numbers. */
static const int liked[] = {128, 130, 250, 256, 258, 362, 500, 512, 514, 725};

static int width(int i)
{
    int w = 90 + 14 * i;
    for (size_t k = 0; k < sizeof liked / sizeof *liked; k++)
        if (abs(liked[k] - w) < 7)
            return liked[k];
    return w;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A five-point step from the first array, with what the others have, to the last. */
static void step(double *const *a, int n, int w)
{
    for (int y = 1; y < w - 1; y++) {
        const double *p = a[0] + y * w, *q = a[1] + y * w, *r = a[2 % n] + y * w, *s = a[3 % n] + y * w;
        const double *t = a[4 % n] + y * w;
        double *o = a[n - 1] + y * w;
        for (int x = 1; x < w - 1; x++) {
            double v = p[x - 1] + p[x + 1] + p[x - w] + p[x + w] - 4 * p[x];
            switch (n) {
            case 2: o[x] = p[x] + .1 * v; break;
            case 3: o[x] = p[x] + q[x] * v; break;
            case 4: o[x] = p[x] + q[x] * v + r[x]; break;
            case 5: o[x] = p[x] + q[x] * v + r[x] * s[x]; break;
            default: o[x] = p[x] + q[x] * v + r[x] * s[x] + t[x];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = 0; i < SIZES; i++) {
        int w = width(i);
        size_t cells = (size_t)w * (size_t)w;
        double *a[6], best = 1e30;
        for (int j = 0; j < n; j++) {
            a[j] = malloc(cells * sizeof *a[j]);
            for (size_t k = 0; k < cells; k++)
                a[j][k] = 1e-3 * (double)(k % 17);
        }
        int steps = 1 + (int)(400000 / cells);
        for (int again = 0; again < REPEAT; again++) {
#pragma pc3 checkpoint
            double start = now();
            for (int k = 0; k < steps; k++) {
                step(a, n, w);
                if (n == 2) {
                    double *other = a[0];
                    a[0] = a[1];
                    a[1] = other;
                }
            }
            double took = (now() - start) / steps / (double)cells;
            best = took < best ? took : best;
        }
        printf("%d %.4f\n", w, best);
        for (int j = 0; j < n; j++)
            free(a[j]);
    }
    return 0;
}
