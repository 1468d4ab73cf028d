/* Addresses of locals that live across points. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void pc3_checkpoint(void);
static int n(int k) { pc3_checkpoint(); return k; }
struct node { int v; struct node *up; };
static int *kept;
static void keep(int *p) { kept = p; }
static int sum(struct node *l) { int s = 0; for (; l; l = l->up) { s += l->v; pc3_checkpoint(); } return s; }
static int chain(int depth, struct node *up) {
    struct node me = { depth, up };
    if (depth == 0) return sum(&me);
    return chain(n(depth) - 1, &me) + me.v;
}
static void add(int *acc, int k) { *acc += k; }
static void addc(int *acc, int k) { pc3_checkpoint(); *acc += n(k); }
static int plain(int m) { int acc = m; add(&acc, 3); acc += n(1); add(&acc, 4); return acc; }
static int across(int m) { int acc = m, *q = &acc; addc(&acc, 3); *q += n(2); return acc; }
static int param(int m) { keep(&m); n(1); *kept += 5; return m; }
static double arrays(void) {
    double a[8], *end = a + 8; int idx[4] = { 3, 2, 1, 0 };
    for (double *p = a; p < end; p++) { *p = p - a; pc3_checkpoint(); }
    char buf[32] = "start"; char *s = buf + 5;
    n(1); strcpy(s, "-end"); pc3_checkpoint();
    printf("%s %zu\n", buf, sizeof buf);
    double t = 0; for (int i = 0; i < 4; i++) t += a[idx[i]] * n(i);
    int (*fp)(int) = n; t += fp(2);
    return t + a[7];
}
static int loopvar(void) { int t = 0; for (int i = 0; i < 3; i++) { int *p = &i; t += *p * n(2); } for (int a = 0, *pa = &a; *pa < 3; (*pa)++) t += n(a); return t; }
static void out(int **slot, int k) { int local = k; *slot = &local; pc3_checkpoint(); *slot = 0; (void)local; }
static int early(int k) { int x = k; int *p = &x; if (k < 2) return *p; if (n(k) == 3) return n(*p); { int y = 2; int *q = &y; pc3_checkpoint(); x += *q; } return x; }
static void voidf(int k) { int x = k; keep(&x); if (k == 1) return; n(2); *kept += 1; if (k == 2) { printf("k2 "); return; } printf("%d\n", x); }
static int scan(void) { int a, b; if (sscanf("12 34", "%d %d", &a, &b) != 2) return -1; n(1); return a * b; }
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int sorted(void) { int v[5] = { 5, 3, 9, 1, 7 }; qsort(v, 5, sizeof *v, cmp); n(1); return v[0] * 10000 + v[4]; }
static int strto(void) { char t[] = "42abc"; char *e; long v = strtol(t, &e, 10); n(1); return v + *e; }
static struct node big(int k) { struct node r; r.v = k; struct node *p = &r; pc3_checkpoint(); p->v++; p->up = 0; return r; }
int main(void) {
    int *slot; struct node arr[3] = { { 1, 0 }, { 2, &arr[0] }, { 3, &arr[1] } };
    printf("%d\n", chain(5, 0)); printf("%d %d %d\n", plain(1), across(2), param(3));
    printf("%g\n", arrays()); printf("%d\n", loopvar()); out(&slot, 3); printf("%d\n", slot == 0);
    printf("%d %d %d\n", early(1), early(3), early(5)); voidf(1); voidf(2); voidf(3);
    printf("%d %d %d\n", scan(), sorted(), strto()); printf("%d %d\n", big(4).v, sum(&arr[2]));
    return 0;
}
