/* Variable-length arrays, pointers to them, alloca. */
#include <stdio.h>
#include <stdlib.h>
#include <alloca.h>
#include <string.h>
void pc3_checkpoint(void);
static int n(int k) { pc3_checkpoint(); return k; }
static double sum(int r, int c, double a[r][c]) {
    double s = 0;
    for (int i = 0; i < r; i++) { for (int j = 0; j < c; j++) s += a[i][j]; pc3_checkpoint(); }
    a = a + 1; pc3_checkpoint();
    return s + a[0][c - 1] + sizeof *a;
}
static double one(int k) {
    double a[k], b[n(k) + 1];
    for (int i = 0; i < k; i++) { a[i] = i; b[i + 1] = n(i); }
    double *p = &a[1];
    int k0 = k; k = 2;
    pc3_checkpoint();
    return a[k0 - 1] + b[1] + *p + sizeof a + sizeof(b) / sizeof b[0];
}
static int nested(int k) {
    int t = 0;
    for (int i = 1; i <= k; i++) {
        int v[i][2];
        for (int j = 0; j < i; j++) { v[j][0] = j; v[j][1] = n(i); }
        { char s[i + 1]; memset(s, 'x', i); s[i] = 0; pc3_checkpoint(); t += strlen(s); if (i == 3) { short w[i]; w[0] = n(5); t += w[0]; continue; } }
        t += v[i - 1][0] + v[i - 1][1] + (int)sizeof v;
    }
    return t;
}
static double ptr(int r, int c) {
    double (*m)[c] = malloc(r * sizeof *m), q = 1;
    for (int i = 0; i < r; i++) for (int j = 0; j < c; j++) m[i][j] = n(i * j);
    double s = sum(r, c, m) + q;
    double (*row)[c] = m + 1;
    pc3_checkpoint();
    s += (*row)[1] + sizeof *row;
    free(m);
    return s;
}
static int back(int k) {
    int t = 0, i = 0;
again:;
    int v[k + i];
    v[0] = n(i); v[k + i - 1] = 2;
    t += v[0] + v[k + i - 1];
    if (++i < 3) goto again;
    return t;
}
static char *stack(int k) {
    char *all = 0;
    for (int i = 0; i < k; i++) { char *s = alloca(16); sprintf(s, "%d%s", n(i), all ? all : ""); all = s; pc3_checkpoint(); }
    return strdup(all);
}
static int mixed(int k) { int v[k]; struct { int a; int *p; } s = { 3, v }; int *q = alloca(sizeof(int) * 2); v[k - 1] = 4; q[1] = 5; pc3_checkpoint(); return s.p[k - 1] + q[1] + n(s.a); }
int main(void) {
    double a[3][4];
    for (int i = 0; i < 12; i++) a[i / 4][i % 4] = i;
    printf("%g\n", sum(2, 4, a)); printf("%g %g\n", one(3), one(5)); printf("%d\n", nested(5)); printf("%g\n", ptr(3, 4));
    printf("%d\n", back(2)); char *s = stack(5); printf("%s\n", s); free(s); printf("%d\n", mixed(4));
    return 0;
}
