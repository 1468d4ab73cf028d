/* A program that calls MPI: static numbers in loops that call nothing, and in those that must not hold them. */
#include <math.h>
#include <stdio.h>
int MPI_Init(int *, char ***);
int MPI_Finalize(void);
void pc3_checkpoint(void);
static double a[40], b[40];
static void fill(int n) {
    static int i; static double x = .5;
    for (i = 0; i < n; ++i) { x = x * 1.25 + i; a[i] = x; b[n - 1 - i] = sqrt(fabs(x)); }
    pc3_checkpoint();
    printf("fill %d %g\n", i, x);
}
/* Kept from call to call, written on some ways only, not written at all. */
static int kept(int n) {
    static int total, odd, calls = 1, scale = 3;
    int k = 0;
    while (k < n) { if (k & 1) odd++; total += scale; k++; }
    if (n > 4) do total--; while (--k > 4); else for (; k--;) total += 100;
    pc3_checkpoint();
    for (; calls < 0; calls++) total = 0;
    scale += calls++ & 1;
    return total * 100 + odd * 10 + scale;
}
static int control(int n) {
    static int i, j, hits; static _Bool seen; static enum { LOW, HIGH = 7 } level; static unsigned char small; static float part;
    for (i = 0; i < n; i++) {
        static long inner;
        for (j = i; ; j++, small += 37) {
            switch (j % 4) { case 0: continue; case 3: hits += 2; break; default: seen = !seen; }
            if (j > i + 6) break;
            part += .1f * j;
        }
        inner += sizeof(i) / sizeof inner * 0 + j; level = inner & 1 ? HIGH : LOW; hits += (int)inner % 5;
    }
    pc3_checkpoint();
    return hits + seen * 1000 + (int)level * 10000 + small + (int)part + i + j;
}
/* Left by other ways than the end, entered by others than the beginning. */
static int leave(int n) {
    static int i, j, found;
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) if (i * j == 12) goto out;
    pc3_checkpoint();
    for (i = 0; i < n; i++) if (i == 5) return i + 100 * found;
    return -1;
out:
    found += i * 10 + j;
    switch (n & 3) { for (i = 0; i < 3; i++) { found++; case 1: found += 3; case 2: found += 5; } default: pc3_checkpoint(); }
    return found;
}
/* Somebody else sees it: by its address, in a call, in a handler, as a volatile. */
static int seen(int *p, int n) {
    static int i, sum; static volatile int v; int *q = p ? p : &sum;
    for (i = 0; i < n; i++) { sum += i; *q += 1; v += sum; }
    if (p && n > 2) { pc3_checkpoint(); return seen(0, n - 1) + sum; }
    return sum + v;
}
static int deep(int n) {
    static int i, depth;
    depth++;
    for (int k = 0; k < n; k++) { for (i = k; i < n; i++) a[k] += i; if (n > 1) a[k] += deep(n - 2); a[0] += i; }
    for (i = 0; i < n; i++) depth += i;
    pc3_checkpoint();
    return depth + i;
}
static double shapes(int n) {
    static int i; static double s;
again:
    for (i = 0; i < n; i++) s += a[i];
#pragma GCC unroll 2
    for (i = 0; i < n; i++) { __typeof__(s) t = s; s = t + b[i]; }
    if (n & 1) for (i = 0; i < n; i++) if (a[i] > b[i]) s -= 1; else s += 1;
    else while (i) i--;
    if (--n > 30) goto again;
    pc3_checkpoint();
    return s;
}
/* Statements in a row: broken by calls, labels, declarations and ways out. */
static double row(double *m, int n) {
    static double pivot, coeff; static int times, i;
    --m; pivot = 1. / m[1]; m[2] *= pivot; m[3] *= pivot; coeff = m[4]; m[5] -= coeff * m[2]; m[6] -= coeff * m[3];
    double first = pivot; times++; times += n; if (times > 20) times -= 7;
    for (i = 0; i < n; i++) {
        if (i == 4) break;
        pivot += i; if (i & 1) continue; coeff += pivot; pivot *= .5; coeff -= pivot;
        switch (i) { case 0: pivot++; pivot += coeff; pivot--; if (n > 3) break; case 2: coeff *= 2, coeff++, coeff -= pivot; break; default: times++; times += times & 3; }
        do { times++; times ^= 1; if (times & 1) break; times += 2; } while (times < 9);
        printf("%g %g\n", pivot, coeff);
        if (n > 5) pivot = -pivot + pivot * coeff; else coeff = pivot - coeff * coeff;
    }
    pc3_checkpoint();
    if (n > 6) goto end;
    times += i; times *= 2; i = times % 5; times -= i;
end:
    coeff += i; pivot -= coeff; i++; coeff *= i;
    return first + pivot + coeff + times;
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int k = 0; k < 3; k++) {
        fill(20 + 7 * k);
        printf("%d %d %d\n", kept(6 - k), kept(k), control(5 + k));
        printf("%d %d\n", leave(5 + 2 * k), leave(8));
        int own = 3;
        printf("%d %d", seen(&own, 4 + k), own);
        printf(" %d %.17g\n", deep(4 + k), shapes(33 + k));
        double m[] = { 2 + k, 3, 5, 7, 11, 13 };
        printf("%.17g", row(m, 3 + 2 * k)); printf(" %.17g %.17g\n", m[4], m[5]);
    }
    MPI_Finalize();
    return 0;
}
