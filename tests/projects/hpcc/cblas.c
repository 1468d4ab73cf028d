/* The few routines of the BLAS that HPCC calls by their C names, as plain loops.  Matrices are stored by columns unless
 * the order says otherwise; a matrix by rows is its transpose by columns. */
#include <stddef.h>

enum { ROWS = 101, COLUMNS = 102, PLAIN = 111, TRANSPOSED = 112, UPPER = 121, LOWER = 122, UNIT = 132, LEFT = 141, RIGHT = 142 };

static ptrdiff_t start(int n, int step)
{
    return step < 0 ? (ptrdiff_t)(1 - n) * step : 0;
}

void cblas_dcopy(int n, const double *x, int xstep, double *y, int ystep)
{
    x += start(n, xstep), y += start(n, ystep);
    for (int i = 0; i < n; i++)
        y[(ptrdiff_t)i * ystep] = x[(ptrdiff_t)i * xstep];
}

void cblas_dswap(int n, double *x, int xstep, double *y, int ystep)
{
    x += start(n, xstep), y += start(n, ystep);
    for (int i = 0; i < n; i++) {
        double t = x[(ptrdiff_t)i * xstep];
        x[(ptrdiff_t)i * xstep] = y[(ptrdiff_t)i * ystep];
        y[(ptrdiff_t)i * ystep] = t;
    }
}

void cblas_dscal(int n, double a, double *x, int step)
{
    for (int i = 0; i < n; i++)
        x[(ptrdiff_t)i * step] *= a;
}

void cblas_daxpy(int n, double a, const double *x, int xstep, double *y, int ystep)
{
    x += start(n, xstep), y += start(n, ystep);
    for (int i = 0; i < n; i++)
        y[(ptrdiff_t)i * ystep] += a * x[(ptrdiff_t)i * xstep];
}

int cblas_idamax(int n, const double *x, int step)
{
    int at = 0;
    double most = -1;
    for (int i = 0; i < n; i++) {
        double v = x[(ptrdiff_t)i * step];
        v = v < 0 ? -v : v;
        if (v > most)
            most = v, at = i;
    }
    return at;
}

void cblas_dgemv(int order, int trans, int m, int n, double alpha, const double *a, int lda, const double *x, int xstep,
                 double beta, double *y, int ystep)
{
    if (order == ROWS) {
        cblas_dgemv(COLUMNS, trans == PLAIN ? TRANSPOSED : PLAIN, n, m, alpha, a, lda, x, xstep, beta, y, ystep);
        return;
    }
    int rows = trans == PLAIN ? m : n, columns = trans == PLAIN ? n : m;
    x += start(columns, xstep), y += start(rows, ystep);
    for (int i = 0; i < rows; i++)
        y[(ptrdiff_t)i * ystep] = beta == 0 ? 0 : beta * y[(ptrdiff_t)i * ystep];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            if (trans == PLAIN)
                y[(ptrdiff_t)i * ystep] += alpha * a[i + (ptrdiff_t)j * lda] * x[(ptrdiff_t)j * xstep];
            else
                y[(ptrdiff_t)j * ystep] += alpha * a[i + (ptrdiff_t)j * lda] * x[(ptrdiff_t)i * xstep];
}

void cblas_dger(int order, int m, int n, double alpha, const double *x, int xstep, const double *y, int ystep, double *a, int lda)
{
    if (order == ROWS) {
        cblas_dger(COLUMNS, n, m, alpha, y, ystep, x, xstep, a, lda);
        return;
    }
    x += start(m, xstep), y += start(n, ystep);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[i + (ptrdiff_t)j * lda] += alpha * x[(ptrdiff_t)i * xstep] * y[(ptrdiff_t)j * ystep];
}

void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc)
{
    if (order == ROWS) {
        cblas_dgemm(COLUMNS, transb, transa, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
        return;
    }
    ptrdiff_t ai = transa == PLAIN ? 1 : lda, al = transa == PLAIN ? lda : 1;
    ptrdiff_t bl = transb == PLAIN ? 1 : ldb, bj = transb == PLAIN ? ldb : 1;
    for (int j = 0; j < n; j++) {
        double *to = c + (ptrdiff_t)j * ldc;
        for (int i = 0; i < m; i++)
            to[i] = beta == 0 ? 0 : beta * to[i];
        for (int l = 0; l < k; l++) {
            double f = alpha * b[l * bl + j * bj];
            for (int i = 0; i < m; i++)
                to[i] += f * a[i * ai + l * al];
        }
    }
}

/* Solves op(A) x = b in place, b's elements `step` apart. */
static void solve(int upper, int trans, int unit, int n, const double *a, ptrdiff_t lda, double *b, ptrdiff_t step)
{
    ptrdiff_t row = trans ? lda : 1, column = trans ? 1 : lda;
    int backwards = upper != trans;
    for (int s = 0; s < n; s++) {
        int i = backwards ? n - 1 - s : s;
        double v = b[i * step];
        int from = backwards ? i + 1 : 0, to = backwards ? n : i;
        for (int j = from; j < to; j++)
            v -= a[i * row + j * column] * b[j * step];
        b[i * step] = unit ? v : v / a[i * row + i * column];
    }
}

void cblas_dtrsv(int order, int uplo, int trans, int diag, int n, const double *a, int lda, double *x, int step)
{
    int flip = order == ROWS;
    solve((uplo == UPPER) != flip, (trans != PLAIN) != flip, diag == UNIT, n, a, lda, x + start(n, step), step);
}

void cblas_dtrsm(int order, int side, int uplo, int trans, int diag, int m, int n, double alpha, const double *a, int lda,
                 double *b, int ldb)
{
    if (order == ROWS) {
        cblas_dtrsm(COLUMNS, side == LEFT ? RIGHT : LEFT, uplo == UPPER ? LOWER : UPPER, trans, diag, n, m, alpha, a, lda, b, ldb);
        return;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            b[i + (ptrdiff_t)j * ldb] *= alpha;
    /* X op(A) = B is op(A)' X' = B'. */
    int right = side == RIGHT;
    for (int i = 0; i < (right ? m : n); i++)
        solve(uplo == UPPER, (trans != PLAIN) != right, diag == UNIT, right ? n : m, a, lda, b + (right ? i : (ptrdiff_t)i * ldb),
              right ? ldb : 1);
}
