/* Points in and around every statement. */
#include <stdio.h>
void pc3_checkpoint(void);
static long seq;
static int n(int k) { seq = seq * 31 + k; pc3_checkpoint(); return k; }
static int loops(int m) {
    int t = 0;
    for (int i = n(0); i < n(m); i += n(1)) {
        if (i == 2) continue;
        if (i == 5) break;
        t += n(i);
    }
    int j = 0;
    while (n(j) < 4) { j++; if (j == 2) continue; t += j; }
    do { t++; if (t % 2) continue; t += n(1); } while (n(t) < 40 && n(1));
    do t += 3; while (n(t) < 60);
    for (;;) if (n(++t) > 66) break;
    for (j = n(3); j; j--) t += n(j);
    for (int a = 0, b = n(4); a < b; a++, b -= n(1)) t += a * b;
    for (j = 0; j < 3; n(j), j++) ;
    for (j = 0; j < 3; j++) for (int q = 0; q < 3; q++) { if (q == j) goto out; pc3_checkpoint(); t += n(q) * j; out: ; }
    return t;
}
static int sw(int k) {
    int r = 0;
    switch (n(k)) {
    case 0: r += n(1);
    case 1: r += n(2); break;
    case 2: { int z = n(3); r += z; if (z) break; }
    case 3 ... 5: for (int i = 0; i < k; i++) { switch (i) { case 1: r += n(9); continue; default: r++; } r += n(2); } break;
    default: return n(-1);
    case 7: if (n(0)) case 8: r += n(80); else r += n(70);
    }
    return r + n(100);
}
static int gotos(int m) {
    int i = 0, t = 0;
again:
    if (i >= m) goto done;
    {
        int local = n(i) * 2;
        t += local;
        if (t % 3 == 0) goto skip;
        t += n(1);
    }
skip:
    i++;
    goto again;
done:
    return t;
}
static int computed(int m) {
    static void *const tab[] = { &&a, &&b, &&c };
    int t = 0, i = 0;
next:
    if (i == m) return t;
    goto *tab[i++ % 3];
a: t += n(1); goto next;
b: t *= n(2); goto next;
c: t -= n(3); goto next;
}
static void vo(int k) { if (k == 3) return; if (k == 4) { n(k); return; } n(k + 1); }
static void deep(int k) { if (!k) { pc3_checkpoint(); return; } int before = n(k); deep(k - 1); seq += before; deep(k / 2); }
static int ifs(int k) {
    if (n(k) > 2) n(1); else n(2);
    if (k) if (n(0)) n(5); else { n(6); n(7); }
    if (n(1) == 1 && n(k) == 2) return n(20);
    else if (k == 3) { pc3_checkpoint(); return 21; }
    { { pc3_checkpoint(); } }
    return k ? n(22) : 23;
}
int main(void) {
    printf("%d\n", loops(7));
    for (int i = 0; i < 10; i++) printf("%d ", sw(i));
    printf("\n%d %d\n", gotos(9), computed(11));
    for (int i = 0; i < 6; i++) vo(i), printf("%d ", ifs(i));
    deep(4);
    if (seq) pc3_checkpoint(); else n(3);
    while (seq > 0) { seq = seq / 1000; pc3_checkpoint(); }
    printf("\n%ld\n", seq);
}
