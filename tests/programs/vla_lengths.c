/* pc3-test: seq */
/* Arrays of variable length, and pointers to some, whose declarations have points: in a length, behind one, in the initialiser, with braces or without. */
#include "check.h"

static int part(int x)
{
#pragma pc3 checkpoint
    return x;
}

static void *memory(size_t n)
{
    void *p = calloc(1, n);
#pragma pc3 checkpoint
    return p;
}

static int next(int *m)
{
    return (*m)++;
}

static long lengths(int n)
{
    int m = n + 2, *where = &n;
    short a[next(&m)][part(n) + 1][*where];
    long sum = m + (long)(sizeof a / sizeof(short));
    m = 0;
    a[1][n][0] = (short)sum;
    part(1);
    return sum + a[1][n][0];
}

static long pointers(int n)
{
    int rows = n, columns = n + 3;
    short (*p)[columns] = memory(2 * (size_t)rows * (size_t)columns), (*q)[rows] = p ? memory(200) : NULL;
    columns = rows = 1;
    p[1][2] = 5;
    q[2][1] = 6;
    part(2);
    long sum = (long)(sizeof *p / sizeof(short)) * 100 + (long)(sizeof *q / sizeof(short));
    sum += ((short *)p)[n + 5] * ((short *)q)[2 * n + 1];
    free(p);
    free(q);
    return sum + rows + columns;
}

static long loop(int n)
{
    long sum = 0;
    for (int i = 1; i < n; i++) {
        int row[i][part(i)], (*last)[i] = part(i) > 1 ? &row[i - 1] : row;
        (*last)[i - 1] = i;
        sum += (long)(sizeof row / sizeof(int)) + (*last)[part(i) - 1] + row[i - 1][i - 1];
    }
    return sum;
}

static long braced(int n)
{
    int (*p)[n] = {memory(2 * sizeof *p)}, (*q)[n] = {p + 1};
    int one = {part(1)};
    (*p)[0] = one;
    (*q)[n - 1] = part(n);
    part(0);
    long sum = (*p)[0] + ((int *)p)[2 * n - 1] + (long)(sizeof *q / sizeof(int));
    free(p);
    return sum;
}

int main(void)
{
    for (int n = 2; n < 5; n++) {
        show("braced", braced(n));
        show("lengths", lengths(n));
        show("pointers", pointers(n));
        show("loop", loop(n));
    }
    return finish();
}
