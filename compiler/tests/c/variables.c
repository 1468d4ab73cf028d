/* Kinds of variables: const, register, shadowed, uninitialised, aggregates, statics, K&R, local types. */
#include <stdio.h>
#include <string.h>
#include <complex.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
void pc3_checkpoint(void);
static int n(int k) { pc3_checkpoint(); return k; }
struct pt { double x; char name[12]; struct { int u, v; } in; };
typedef struct { int a, b; } anon;
enum col { red, green = 5 };
static int cons(const int m, const char *const msg) {
    const int a = n(m), b = a + 1;
    const double tab[3] = { 1.5, 2.5, n(3) };
    const char *const q = msg + 1;
    int *const z = 0;
    register int r = n(4);
    register const long rl = 77;
    volatile int vol = 6;
    pc3_checkpoint();
    vol += n(1);
    printf("%d %d %g %g %s %d %d %ld %d\n", a, b, tab[0], tab[2], q, z == 0, r, rl, vol);
    return a + m;
}
static int shadowed(int x) {
    int y = n(x);
    { int x = n(7); { int x = n(8); y += x; pc3_checkpoint(); y += x; } y += x; for (int y = 0; y < 2; y++) x += n(y); y += x; }
    { double x = 2.5; y += n(1); y += (int)x; }
    return x + y;
}
static int uninit(int k) {
    int a, b; long l; struct pt p; char *s;
    if (k > 1) { a = n(1); s = "set"; } else s = 0;
    pc3_checkpoint();
    b = n(2);
    if (k > 1) { b += a; l = 5; }
    p.x = n(3); p.in.v = 4; strcpy(p.name, "abc");
    pc3_checkpoint();
    return b + (k > 1 ? l : 0) + (int)p.x + p.in.v + (int)strlen(p.name) + (s ? 1 : 0);
}
static int statics(void) {
    static int calls, *pc = &calls;
    static const char *names[] = { "zero", "one", "two" };
    static struct { int k; char c; } st[2] = { { 1, 'a' }, { 2, 'b' } };
    ++*pc; st[0].k += n(1);
    { static int calls = 100; calls += n(2); printf("%d ", calls); }
    printf("%s %d %d\n", names[calls % 3], st[0].k, calls);
    return calls;
}
int kr(a, b, c) int a; char b; double *c; { int t = n(a); *c += b; return t + b; }
static int types(int k) {
    struct local { int a; double d[2]; struct local *self; };
    typedef struct local lt;
    enum e { A = 3, B };
    union un { int i; float f; } un1;
    typedef int vec[4];
    lt v = { k, { 1, 2 }, 0 };
    enum e en = B; vec w = { 1, 2, 3, 4 };
    struct { short q; } an = { 9 };
    un1.i = 1234;
    pc3_checkpoint();
    v.d[1] += n(2);
    { struct local { char z[3]; } v = { "hi" }; enum e { A = 30 }; pc3_checkpoint(); printf("%s %d ", v.z, A); n(1); printf("%s\n", v.z); }
    return v.a + (int)v.d[1] + en + w[3] + an.q + un1.i + A + (int)sizeof(lt);
}
static anon swap(anon v) { anon r; r.a = n(v.b); r.b = v.a; return r; }
static double complex cplx(double complex z, long double ld, float f, bool b) {
    enum col c = green; unsigned char uc = 200; wchar_t wc = L'x'; signed char sc = -3; unsigned long long ull = ~0ull;
    pc3_checkpoint();
    z = z * z + n(2); ld /= 3; f += uc; 
    pc3_checkpoint();
    return z + (double)ld + f + b + c + wc + sc + (ull == ~0ull);
}
static int vsum(int k, ...) { va_list ap; int s = 0; va_start(ap, k); while (k--) s += va_arg(ap, int); va_end(ap); pc3_checkpoint(); return s + n(2); }
static const char *fn(void) { pc3_checkpoint(); return __func__; }
int main(int argc, char **argv) {
    double d = 1; anon an = { 1, 2 }; int m[3][4] = { { 1 }, { 2, 3 } };
    printf("%d\n", cons(5, "hello"));
    printf("%d\n", shadowed(3));
    printf("%d %d\n", uninit(1), uninit(2));
    for (int i = 0; i < 3; i++) statics();
    printf("%d %g\n", kr(4, 'a', &d), d);
    printf("%d\n", types(6));
    an = swap(swap(swap(an))); printf("%d %d\n", an.a, an.b);
    double complex z = cplx(1 + 2 * I, 10.0L, 0.5f, true); printf("%g %g\n", creal(z), cimag(z));
    printf("%d\n", vsum(3, 10, 20, 30));
    m[1][2] = n(m[1][1]); printf("%d %s\n", m[1][2], fn());
    return argc - 1 + (argv[argc] != 0);
}
