/* Calls in every kind of expression; what is evaluated before and after them. */
#include <stdio.h>
#include <stdbool.h>
void pc3_checkpoint(void);
static int trace_count;
#define printf(...) (printf(__VA_ARGS__), printf("    [%d]\n", trace_count))
static int n(int k) { trace_count = trace_count * 7 + k; pc3_checkpoint(); return k; }
static int g = 1;
static int bump(void) { g += 10; pc3_checkpoint(); return g; }
static int arr[64];
static int *p = arr;
static int *next(void) { pc3_checkpoint(); return ++p; }
struct s { int x, y; double z; };
static struct s make(int a) { struct s v = { a, a + 1, a * 0.5 }; pc3_checkpoint(); v.z += 1; return v; }
static struct s *where(struct s *q) { pc3_checkpoint(); return q; }
static void nothing(int k) { trace_count ^= k; pc3_checkpoint(); }
static int three(int a, int b, int c) { pc3_checkpoint(); return a * 100 + b * 10 + c; }
static int leaf(int k) { return k + trace_count % 3; }
struct bits { unsigned a : 3; int b : 5; unsigned c : 30; };
static struct bits bf = { 5, -3, 77 };
int main(void) {
    int x = 3, y = 4;
    struct s v = make(2), w;
    printf("%d\n", n(1) + n(2) * n(3));
    printf("%d %d\n", g + bump(), g);
    printf("%d\n", g - bump());
    printf("%d\n", g < bump());
    printf("%d\n", 2 * g + bump());
    g += bump(); printf("%d\n", g);
    g -= bump(); printf("%d\n", g);
    g = 1; arr[g] = bump(); printf("%d %d\n", arr[1], arr[11]);
    g = 1; arr[g % 8] += bump() % 5; printf("%d %d\n", arr[1], arr[3]);
    *p = *next() + 5; printf("%d %d\n", arr[0], arr[1]);
    *p++ = n(9); printf("%d\n", arr[1]);
    p[n(1)] = n(2) + p[n(3)]; printf("%d\n", p[1]);
    printf("%d\n", three(n(1), n(2), n(3)));
    printf("%d\n", three(leaf(1), n(2), leaf(3)) + leaf(4));
    printf("%d %d %d\n", n(1) && n(0), n(0) || n(2), n(0) && n(5));
    printf("%d\n", x > 2 && n(1) && (y = n(7)) > 3 ? n(8) : n(9));
    printf("%d\n", x > 5 ? n(1) : y > 100 ? n(2) : three(1, n(3), y));
    printf("%d\n", (n(4), x++, n(5) + x));
    printf("%d\n", n(0) ?: n(6));
    printf("%d\n", n(3) ?: n(6));
    printf("%g %d\n", make(n(5)).z, make(6).y);
    w = make(n(7)); printf("%d %d %g\n", w.x, w.y, w.z);
    where(&v)->x = n(11); where(&w)->y += n(2); printf("%d %d\n", v.x, w.y);
    (n(1) ? &v : &w)->x += n(3); printf("%d %d\n", v.x, w.x);
    printf("%d\n", n(2) + ~n(3) + !n(0) + (char)n(300) + (int)sizeof(n(1)));
    printf("%d\n", bf.a + bump() + bf.b - (bf.c - n(80) < 0));
    bf.b = n(2) - bf.a; printf("%d\n", bf.b);
    x = y = n(12); printf("%d %d\n", x, y);
    x += y -= n(2); printf("%d %d\n", x, y);
    nothing(n(3)); n(1) ? nothing(1) : nothing(2); (void)n(8);
    n(1) && (nothing(5), 1);
    bool b = n(2); printf("%d %d\n", b, b + n(1));
    long long big = 1LL << 40; big += n(3) * big; printf("%lld\n", big);
    double d = 0.1; d = d * n(3) + make(1).z / n(7); printf("%.17g\n", d);
    int a2[3] = { n(1), x++, n(3) + x }, k = 5, a3[2] = { k, n(k) };
    struct s ini = { .y = n(4), .x = n(5), .z = x }, other = { n(6) };
    printf("%d %d %d %d %d %d %d %g %d\n", a2[0], a2[1], a2[2], a3[0], a3[1], ini.x, ini.y, ini.z, other.x);
    printf("%d\n", ((struct s){ n(1), n(2), 3 }).y);
    int (*fp)(int) = n(1) ? n : leaf; printf("%d %d\n", fp(3), (*fp)(n(4)));
    printf("%d\n", ({ int q = n(3); q += n(4); q * 2; }) + n(5));
    printf("%d\n", n(2) * ({ int q = 0; for (int i = 0; i < n(3); i++) q += n(i); q; }));
    printf("%d\n", x + (x = n(2), x) * 0 + y);
    unsigned char uc = 250; uc += n(10); printf("%d\n", uc);
    printf("%d\n", trace_count);
    return n(3);
}
