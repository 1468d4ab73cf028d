/* pc3-test: seq */
/* Pointers kept in front of and behind their objects, as in Numerical Recipes: vectors and matrices that count from any number. */
#include <stdio.h>
#include <stdlib.h>

static double *vector(long low, long high)
{
    double *v = (double *)malloc((size_t)(high - low + 1) * sizeof(double));
    if (!v)
        exit(1);
    return v - low;
}

static void free_vector(double *v, long low)
{
    free(v + low);
}

static float **matrix(long r0, long r1, long c0, long c1)
{
    long i, rows = r1 - r0 + 1, columns = c1 - c0 + 1;
    float **m = (float **)malloc((size_t)rows * sizeof(float *));
    m -= r0;
    m[r0] = (float *)malloc((size_t)(rows * columns) * sizeof(float));
    m[r0] -= c0;
    for (i = r0 + 1; i <= r1; i++)
        m[i] = m[i - 1] + columns;
    return m;
}

/* Every row for itself. */
static int **rows(int r0, int r1, int c0, int c1)
{
    int **m, i;
    m = (int **)malloc((r1 - r0 + 1) * sizeof(int *));
    m -= r0;
    for (i = r0; i <= r1; i++) {
        m[i] = (int *)malloc((c1 - c0 + 1) * sizeof(int));
        m[i] -= c0;
    }
    return m;
}

struct grid {
    int low, high;
    double *row;
    short small[6];
    short *from_two;
    long behind;
};

static double samples[10];
static double total;

static double weigh(double *x, int n)
{
    double s = 0;
    int i;
    for (i = 1; i <= n; i++) {
        s += x[i] * i;
#pragma pc3 checkpoint
    }
    return s;
}

static double shifted_twice(double *y, int low, int n)
{
    double *z = y - low;
    double s = 0;
    int i;
    for (i = low; i < low + n; i++) {
        if (i == low + 2)
            s += weigh(z + low - 1, 3);
#pragma pc3 checkpoint
        s += z[i];
    }
    return s;
}

int main(void)
{
    double *a = vector(1, 8), *year = vector(1990, 1999), *below = vector(-5, 5);
    float **m = matrix(1, 4, 1, 5), **far = matrix(2, 5, 40, 46);
    int **r = rows(1, 6, 3, 9), stack[8], *top = stack - 1, i, j;
    struct grid *g = (struct grid *)malloc(sizeof *g);
    short *p;

    g->low = 7;
    g->high = 12;
    g->row = (double *)calloc(6, sizeof(double));
    g->row -= g->low;
    g->from_two = g->small - 2;
    g->behind = 99;
    for (i = 1; i <= 8; i++)
        a[i] = i * 0.5;
    for (i = 1990; i <= 1999; i++)
        year[i] = i / 3.0;
    for (i = -5; i <= 5; i++)
        below[i] = i;
    for (i = 1; i <= 4; i++)
        for (j = 1; j <= 5; j++)
            m[i][j] = (float)(i * 10 + j);
    for (i = 2; i <= 5; i++)
        for (j = 40; j <= 46; j++)
            far[i][j] = (float)(i * 100 + j);
    for (i = 1; i <= 6; i++)
        for (j = 3; j <= 9; j++)
            r[i][j] = i * j;
    for (i = 0; i < 10; i++)
        samples[i] = i + 0.25;
    for (i = g->low; i <= g->high; i++)
        g->row[i] = -i;
    for (i = 2; i < 8; i++)
        g->from_two[i] = (short)(i * i);
    *++top = 11;
    *++top = 22;
    for (i = 1; i <= 4; i++) {
        total += weigh(a, 8) + weigh(samples - 1, 10) + shifted_twice(samples, 100, 10);
#pragma pc3 checkpoint
        for (j = 1; j <= 5; j++)
            total += m[i][j] + far[i + 1][j + 39] + r[i + 1][j + 3];
        total += year[1990 + i] + below[i - 3] + g->row[g->low + i];
        p = g->from_two + 1;
#pragma pc3 checkpoint
        total += p[i] + g->behind + *top;
        a[i] += total;
        r[i][9] = (int)total;
        printf("%d %.6f %d\n", i, total, r[i][9]);
    }
    while (top > stack - 1)
        printf("%d\n", *top--);
    free_vector(a, 1);
    free_vector(year, 1990);
    free_vector(below, -5);
    return 0;
}
