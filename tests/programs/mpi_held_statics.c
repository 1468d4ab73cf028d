/* pc3-test: mpi ranks=3 flags=-Werror,-Wimplicit-fallthrough */
/* Numbers that functions keep in static variables, as translated Fortran does: what loops make of them each rank has for itself. */
#include "mpi_check.h"

#include <math.h>
#include <setjmp.h>

static double grid[6][8], rhs[8];
static jmp_buf back;
static int reach;

static double relax(int from)
{
    static int i, j, rounds;
    static double most, change;

    most = 0;
    for (i = from; i < 6; ++i) {
        for (j = 0; j < 8; ++j) {
            change = grid[i][j] / 4 - rhs[j];
            rhs[j] += change / (i + 1);
            grid[i][j] -= change;
            if (fabs(change) > most)
                most = fabs(change);
        }
        ++rounds;
    }
#pragma pc3 checkpoint
    return most + rounds + i * 10 + j;
}

static int around(int n)
{
    static int i, calls, kept;

    for (int k = 0; k < n; k++) {
        for (i = k; i < n; i++)
            ++calls;
        if (n > 2)
            kept += around(n - 2) % 3 + i;
    }
    while (i)
        kept += i--;
#pragma pc3 checkpoint
    return kept + calls;
}

static int leap(void)
{
    static int i, jumps;

    if (setjmp(back)) {
        for (i = 0; i < reach; i++)
            jumps += i;
        return jumps * 10 + i;
    }
    for (jumps = 0; jumps < reach; jumps++)
        for (i = 0; i < jumps; i++)
            rhs[i] += jumps;
#pragma pc3 checkpoint
    longjmp(back, 1);
}

static int first(int wanted)
{
    static int i, j, tries;
    static int *where = &tries;

    for (i = 1; i < 9; i++)
        for (j = i; j < 9; j++) {
            ++*where;
            if (i * j == wanted)
                goto found;
        }
    return -tries;
found:
#pragma pc3 checkpoint
    for (; i > 0; i--)
        if (tries % i == 0)
            return tries * 100 + i * 10 + j;
    return 0;
}

/* As translated Fortran eliminates. */
static void eliminate(double *m, int n)
{
    static double pivot, coeff;
    static int i, steps;

    pivot = 1. / m[0];
    m[1] *= pivot;
    m[2] *= pivot;
    coeff = m[3];
    m[4] -= coeff * m[1];
    m[5] -= coeff * m[2];
    for (i = 0; i < n; i++) {
        if (i > 3)
            break;
        pivot += m[i];
        coeff -= pivot;
        ++steps;
        steps += i;
        m[i] += coeff * steps;
#pragma pc3 checkpoint
        pivot = coeff + pivot;
        coeff = m[i] - pivot;
        pivot /= 8;
    }
    m[5] += steps % 7 + i;
}

/* As translated Fortran eliminates blocks: what is worked on is a small array. */
static double blocks(double *v, int n)
{
    static double tmat[25], pair[2][3], odd[2][3];
    static int seen[4];
    static int m, k;
    double sum = 0;

    for (k = 0; k < n; k++) {
        for (m = 0; m < 5; m++) {
            tmat[m] = v[(k + m) % n] + 1;
            tmat[m + 5] += v[m] / 2;
            tmat[m + 10] -= tmat[m] * tmat[m + 5] / 64;
            odd[m % 2][1] -= tmat[m] / 8;
            tmat[5 * m + 4] += m[odd[m % 2] - m + 1] - k;
            seen[m % 4] += k;
        }
        v[k] -= tmat[k % 25] / 16;
        pair[k % 2][k % 3] += v[k] / 2;
        pair[1][m % 3] -= tmat[24] / 1024;
    }
#pragma pc3 checkpoint
    for (m = 0; m < 25; m++)
        sum += tmat[m] + pair[m % 2][m % 3] * seen[m % 4];
    return sum;
}

__attribute__((noinline)) static int add(const int *p, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum = sum * 3 + p[i];
    return sum;
}

/* As translated Fortran smooths: sums of a row are kept for its neighbours; what lies behind the row stays. */
static double smooth(const double *u, double *r, int n, int rounds)
{
    static double u1[300], u2[300];
    static long seen[64];
    static int i, j, k;
    double sum = 0;

    for (k = 0; k < rounds; k++) {
        for (j = 1; j < n - 1; j++) {
            for (i = 0; i < n; i++) {
                u1[i] = u[(j - 1) * n + i] + u[(j + 1) * n + i];
                u2[i] += u[j * n + (i + k) % n] / 4;
                seen[(i + 7 * k) % 64] += i;
            }
            for (i = 1; i < n - 1; i++)
                r[j * n + i] = u[j * n + i] - (u1[i - 1] + u1[i + 1]) / 8 - (u2[i] + u2[i + 1]) / 16;
            if (j == n - 3 && k > 1)
                break;
        }
        u1[299 - k] = u2[k] - add((int[]){k, n}, 2) % 3;
        u2[299 - k] += u1[299 - k] + k;
    }
#pragma pc3 checkpoint
    for (k = 0; k < 4; k++)
        for (i = 0; i < 300; i++)
            sum += u1[i] + u2[i] * (i % 7) + seen[i % 64];
    return sum;
}

typedef struct {
    double r, i;
} number;

/* As translated Fortran computes with complex numbers. */
static double butterfly(number *x, number *y, number w, int n)
{
    static number u, x11, x21, last;
    static struct {
        number at[2];
        struct {
            int turns, odd;
        } seen;
    } both;
    static struct {
        int away[3];
        unsigned bits : 3;
    } apart;
    static double _Complex z, *there = &z, turn;
    static int j, k;
    number z1, z2;

    turn = 1;
    for (k = 0; k < n; k++) {
        u.r = w.r * k, u.i = w.i - k;
        for (j = 0; j < n; j++) {
            x11 = x[j];
            x21.r = x[n + j].r, x21.i = x[n + j].i;
            y[j].r = (x11.r + x21.r) / 2, y[j].i = (x11.i + x21.i) / 2;
            z2.r = x11.r - x21.r, z2.i = x11.i - x21.i;
            z1.r = u.r * z2.r - u.i * z2.i, z1.i = u.r * z2.i + u.i * z2.r;
            y[n + j].r = z1.r / 8, y[n + j].i = z1.i / 8;
            both.at[j % 2].r += z1.r;
            both.at[k % 2].i -= x11.i;
            both.seen.turns++;
            both.seen.odd += j & 1;
            both.at[1] = j ? both.at[0] : last;
            apart.away[*(apart.away + 1) % 3 + j % 2] += k;
            apart.bits += j;
            __real__ turn += u.r / 16;
            turn *= 1.0 / (1 + j);
            *there += turn;
        }
        last = (number){both.at[0].r / 16, both.at[1].i / 16};
    }
#pragma pc3 checkpoint
    return last.r + last.i + both.at[0].r + both.at[1].i + both.seen.turns * 10 + both.seen.odd + apart.away[0] + 3 * apart.away[1] +
           apart.bits + __real__ z + __imag__ turn + x21.r;
}

/* What an attribute says of the next label stays in front of it. */
static double falls(const double *a, int n)
{
    static double u[80];
    static int calls;
    double s = 0;

    switch (n % 3) {
    case 0:
        s = ++calls;
        for (int k = 0; k < n; k++)
            for (int i = 1; i < 40; i++)
                u[i] += a[i % 8] + u[i - 1] / 2;
        __attribute__((fallthrough));
    case 1:
        s += u[3];
    }
#pragma pc3 checkpoint
    return s + u[39] + calls;
}

/* A table of labels lies among them, and is the program's. */
static int threaded(const char *code)
{
    static void *step[] = {&&add, &&twice, &&end};
    static int sum, steps;

    goto *step[*code - '0'];
add:
    sum += ++steps;
    goto *step[*++code - '0'];
twice:
    sum = sum * 2 % 1000;
    goto *step[*++code - '0'];
end:
#pragma pc3 checkpoint
    return sum * 100 + steps % 100;
}

/* Objects without a name live as long as the block that they stand in, and what is chosen is what it is. */
static int unnamed(int n)
{
    static int c, d, a[48];
    int *p, *q = &__builtin_choose_expr(1, d, c), sum = 0;

    c += n;
    p = (int[8]){n, 1, 2, 3, 4, 5, 6, n + 7};
    c++;
    c ^= 3;
    sum += add(p, 8);
    for (int i = 0; i < 9; i++) {
        d += i;
        *q += 1;
        a[(n + i) % 48] += d;
        a[i] ^= a[(n + d) % 48];
    }
    __builtin_choose_expr(0, a[1], c) += sum;
#pragma pc3 checkpoint
    if (n % 5)
        sum += unnamed(n - 1) % 64;
    return sum + c + d + a[3];
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 48; i++)
        grid[i / 8][i % 8] = (rank + 2) * i % 7;
    for (int k = 0; k < 4; k++) {
        show_all("relax", (int)(1000 * relax((k + rank) % 7)));
        show_all("around", around(3 + (k + rank) % 3));
        reach = 2 + (k + rank) % 6;
        show_all("leap", leap());
        show_all("first", first(10 + 2 * k + rank));
        double m[] = {2 + rank, 3, 5, 7, 11, 13};
        eliminate(m, 2 + (k + rank) % 5);
        show_all("eliminate", (int)(1000 * (m[4] + m[5])));
        number x[6], y[6];
        for (int i = 0; i < 6; i++)
            x[i] = y[i] = (number){(rank + i) % 4, i - k};
        show_all("butterfly", (int)(100 * (butterfly(x, y, (number){k + 1, rank}, 3) + y[1].r + y[4].i)));
        show_all("falls", (int)(100 * falls(rhs, 3 + (k + rank) % 4)));
        show_all("threaded", threaded(&"0100112"[(k + rank) % 4]));
        show_all("unnamed", unnamed(4 + k + rank));
        double u[64], r[64];
        for (int i = 0; i < 64; i++)
            u[i] = (i * (rank + 3) + k) % 11, r[i] = i;
        show_all("smooth", (int)(100 * (smooth(u, r, 5 + (k + rank) % 4, 4) + r[6] + r[18])));
        show_all("blocks", (int)(100 * blocks(rhs, 8)));
    }
    return mpi_finish();
}
