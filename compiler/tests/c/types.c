#include <stdio.h>
#include <string.h>
void pc3_checkpoint(void);
typedef const int cint;
typedef const char *const cstr;
typedef const struct { int a; const double b; } cs;
typedef struct { const int a; double b[2]; } mixed;
typedef int *const cptr;
typedef const int carr[3];
static int id(int k) { pc3_checkpoint(); return k; }
static int f(cint p, cptr q) {
    cint a = id(3), b = id(a) + p;
    cstr s = "abc";
    cs v = { id(1), id(2) };
    carr r = { id(4), id(5), id(6) };
    const carr *pr = &r;
    cptr z = q;
    const cint *const volatile vv = &a;
    register const int reg = id(9);
    id(1);
    *z += id(1);
    return a + b + s[1] + v.a + (int)v.b + r[2] + (*pr)[1] + *z + *vv + p + reg;
}
static mixed make(int a, double b) { mixed m = { a, { b, id(2) } }; id(1); return m; }
static mixed pass(mixed m) { id(m.a); return make(m.a + 1, m.b[0] + m.b[1]); }
static double chain(void) {
    const mixed m = make(1, 2), n = pass(make(3, 4));
    double d = id(1) ? make(5, 6).b[0] : pass(m).b[1];
    return m.a + m.b[1] + n.a * 10 + n.b[0] + d + pass(pass(n)).b[0];
}
enum color { RED, GREEN = 5, BLUE };
typedef enum { N, E = -3, S, W } dir;
static enum color next(enum color c) { pc3_checkpoint(); return c == RED ? GREEN : c == GREEN ? BLUE : RED; }
static dir turn(dir d) { dir r = d == N ? E : N; pc3_checkpoint(); return r; }
static int (*choose(int k))(int);
static int inc(int k) { return id(k) + 1; }
static int dec(int k) { return id(k) - 1; }
static int (*choose(int k))(int) { int (*f)(int) = k ? inc : dec; pc3_checkpoint(); return f; }
typedef int (*fp)(int);
static fp choose2(int k) { return id(k) ? inc : dec; }
static int grid[4][3];
static int (*row(int k))[3] { grid[k][1] = id(k); pc3_checkpoint(); return &grid[k]; }
static int (*(*rowchooser(int k))(int))[3] { pc3_checkpoint(); (void)k; return row; }
static long double ld(long double x) { pc3_checkpoint(); return x * 1.5L; }
static double _Complex cx(double _Complex z) { pc3_checkpoint(); return z * (1.0 + 2.0i); }
static _Bool flip(_Bool b) { pc3_checkpoint(); return !b; }
static float _Complex fx(float _Complex z) { pc3_checkpoint(); return z + 1.0fi; }
struct wide { unsigned long long a : 40; long long b : 36; unsigned c : 32; int d : 32; _Bool e : 1; unsigned long long f : 64; signed char g : 3; enum color h : 4; };
static unsigned long long bits(struct wide *w) {
    unsigned long long r = w->a + id(1);
    r = ((unsigned long long)w->a << 30) + id(2) + r;
    r += (long long)(w->b << 2) + id(3);
    long long big = w->b * id(3);
    r += w->c + id(-1) > 0 ? 1 : 100;
    r += (w->d < id(-5)) + w->e + id(1) + w->f * id(3) + w->g * id(2) + w->h + id(1);
    w->a += id(5); w->b = id(-9); w->h = next(w->h); w->e = flip(w->e); w->g = id(-2);
    id(0);
    return r + big + w->a + w->b + w->h + w->e + w->g;
}
/* Enumerators of one name in two functions, in types of objects that stand outside of them. */
static const char *number(int n) {
    enum { size = 16, digits = 1000 };
    static char text[size];
    sprintf(text, "%d", id(n) % digits);
    return text;
}
static const char *many(int n) {
    enum { texts = 2, size = 2 * sizeof(long long) + 8 };
    static char text[texts][size]; static int at;
    char *own = text[at = (at + 1) % texts];
    sprintf(own, "%d/%d", id(n), (int)(sizeof text / size));
    return own;
}
int main(void) {
    int k = 4;
    printf("%d %d\n", f(id(2), &k), k);
    printf("%g\n", chain());
    printf("%d %d\n", next(next(RED)) + next(BLUE), turn(turn(N)) + turn(N));
    printf("%d %d %d\n", choose(1)(4) + choose(0)(id(3)), choose2(id(0))(1), (id(1) ? choose : choose2)(1)(5));
    printf("%d %d %d\n", (*row(2))[1], rowchooser(1)(3)[0][1], (*row(id(1)))[id(1)] + grid[2][1]);
    printf("%Lg\n", ld(1.25L) + ld(ld(2)) * id(3));
    double _Complex z = cx(1.5) + cx(cx(2.0i)) * id(2);
    float _Complex w = fx(1.0f) * fx(fx(2.0f));
    printf("%g %g %g %g\n", __real__ z, __imag__ z, __real__ w, __imag__ w);
    _Bool b = flip(0) & flip(flip(1));
    printf("%d %d\n", b, flip(b) ? 3 : id(4));
    struct wide v = { (1ULL << 39) + 5, -(1LL << 30), 0xffffffffu, -77, 1, ~0ULL, -4, BLUE };
    printf("%llu\n", bits(&v));
    const char *one = many(7);
    printf("%s %s %s %s\n", number(12345), one, many(8), one);
    return 0;
}
