/* pc3-test: seq */
/* Parameters moved away from their arrays to count from one, with locations before, between and behind the moves. */
#include "check.h"

#define N 7
#define M 5

static double grid[N * M], row[N];
static int before[4] = {1, 2, 3, 4}, order_of[N], other[N], behind[4] = {5, 6, 7, 8};

static void fill(int n, int m, double *a, int *order, double *x)
{
    int a_dim1, a_offset, i, j;
#pragma pc3 checkpoint
    a_dim1 = n;
    a_offset = 1 + a_dim1;
    a -= a_offset;
#pragma pc3 checkpoint
    --order;
    x -= 1;
    for (j = 1; j <= m; j++) {
        for (i = 1; i <= n; i++) {
            a[i + j * a_dim1] = 0.25 * order[i] + x[n + 1 - i] / j;
#pragma pc3 checkpoint
        }
        order[1 + j % n] += j;
    }
    show("order", order[n]);
}

/* Moved in a loop, or more than once: the pointers stay what they are. */
static int walk(const int *p, const int *q, int n)
{
    int s = 0;
    p += n;
    while (n-- > 0) {
        --p;
#pragma pc3 checkpoint
        s = (int)(31u * (unsigned)s + (unsigned)*p);
    }
    q -= 1;
    q += 2;
#pragma pc3 checkpoint
    return (int)((unsigned)s + (unsigned)*q);
}

/* Locals that begin before an array. */
static int from_one(const int *list, int n, int low)
{
    const int *one = list - 1, *shifted = list - low;
    int *own, s = 0;
#pragma pc3 checkpoint
    own = other - 1;
    for (int i = 1; i <= n; i++) {
        own[i] = one[i] + i;
#pragma pc3 checkpoint
        s += one[i] + shifted[i - 1 + low] + own[n + 1 - i];
    }
    return s;
}

static void add(const double *a, double *s)
{
#pragma pc3 checkpoint
    *s += *a;
}

/* `&a[i]` is no address of `a`. */
static double total(int n, double *a, int a_offset)
{
    double s = 0;
    a -= a_offset;
    for (int i = a_offset; i < a_offset + n; i++)
        add(&a[i], &s);
    return s;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        order_of[i] = (3 * i) % N;
        other[i] = (5 * i) % N;
        row[i] = i * i;
    }
    for (int turn = 0; turn < 2; turn++)
        fill(N, M, grid, turn ? other : order_of, row);
    show("walk", walk(order_of, before, N));
    show("walk", walk(behind, order_of, 4));
    show_real("total", total(N * M, grid, 40));
    show("from one", from_one(order_of, N, 3));
    for (int i = 0; i < N * M; i++)
        show_real("grid", grid[i]);
    return finish();
}
