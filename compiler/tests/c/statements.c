#include <stdio.h>
void pc3_checkpoint(void);
static int id(int k) { pc3_checkpoint(); return k; }
struct pair { int a, b; };
static int duff(char *to, const char *from, int count) {
    int n = (count + id(7)) / 8, rounds = 0;
    switch (count % id(8)) {
    case 0: do { *to++ = *from++; id(1);
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++; id(2);
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++; pc3_checkpoint();
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++; rounds += id(1);
            } while (--n > id(0));
    }
    return rounds;
}
static int duffexpr(int count) {
    int r = 0;
    int q = 5 + ({ int n = (count + 3) / 4; switch (count % 4) { case 0: do { r += id(1); case 3: r += id(10); case 2: r += 100; pc3_checkpoint(); case 1: r += id(1000); } while (--n > 0); } id(n) + r; }) * 2;
    return q + r;
}
static int stmts(int k) {
    int a = ({ int t = id(k); t * 2; }) + ({ int t = 0; for (int i = 0; i < 3; i++) { if (i == 1) continue; t += id(i); } t; });
    int b = ({ struct pair p = { id(1), id(2) }; p; }).b;
    for (struct pair p = { id(0), 3 }; p.a < p.b; p.a += id(1)) b += p.a;
    for (struct { int i; double d; } s = { 0, 0.5 }; s.i < id(3); s.i++, s.d += id(1)) b += (int)s.d;
    for (int i = id(0), j = id(5), *p = &j; i < *p; i++, --*p) b += i * j;
    int x = id(1), y = id(x) + 1, z = x + y, w[] = { id(x), id(y), z }, *q = w + id(1);
    const char *s = "abc", *t = s + id(1);
    if (({ int m = id(k); m > 2; })) a += ({ id(1); id(2); });
    while (({ --k; id(k) > 0; })) a++;
    return a + b + x + y + z + w[2] + *q + *t + ({ ({ id(3); }) + id(4); });
}
static int early(int k) {
    int r = ({ if (id(k) == 2) return 77; id(k) * 3; });
    for (int i = 0; i < 5; i++) { r += ({ if (i == id(3)) break; if (i == id(1)) continue; i; }); }
    return r;
}
static int externs(void) {
    extern int shared; extern int later(int);
    int printf(const char *, ...);
    shared += id(1);
    printf("%d\n", shared);
    return later(shared);
}
int shared = 40;
int later(int k) { static int calls; static struct { int n; } st = { 5 }; calls += id(1); st.n += calls; return calls * 100 + k + st.n; }
static int (*table[3])(int);
static int (*global)(int);
static int fact(int n) { return n < 2 ? id(1) : n * global(n - 1); }
static int fib(int n) { return n < 2 ? n : table[id(1)](n - 1) + (*table[1])(n - 2); }
static int depth;
int main(int argc, char **argv) {
    if (depth) { int local = depth; depth--; if (depth) main(argc, argv); pc3_checkpoint(); printf("level %d\n", local); return local; }
    char from[40], to[40] = { 0 };
    for (int i = 0; i < 40; i++) from[i] = (char)('a' + i % 26);
    printf("%d\n", duff(to, from, 21)); to[21] = 0; puts(to);
    for (int i = 1; i < 6; i++) printf("%d %d %d\n", duffexpr(i), stmts(i), early(i));
    printf("%d %d\n", externs(), externs());
    global = fact; table[1] = fib;
    printf("%d %d\n", global(6), fib(7));
    depth = 3;
    printf("%d\n", main(argc, argv));
    return depth;
}
