/* pc3-test: seq */
/* Unnamed structs and unions: bit-fields alone, attributes of their own, packing, and what aligns members. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct bits { int a; struct { unsigned low : 4, high : 12; }; };
struct mixed { int a; struct { unsigned low : 4, high : 12; int plain; }; };
struct within { short a; union { struct { unsigned low : 4, high : 12; }; }; };
struct deep { int a; struct { struct { int inner : 7; }; int b; }; };
struct packed { char tag; struct __attribute__((packed)) { char kind; long long length; }; char pad[3]; int *next; };
struct aligned { char tag; struct { char c; _Alignas(32) int wide; }; char last; };
typedef int on_eight __attribute__((aligned(8)));
struct by_typedef { char tag; struct { char c; on_eight n; }; union { double d; struct { float x, y; }; }; int *to; };
#pragma pack(push, 2)
struct pragma { char tag; struct { char c; double d; struct { int n : 20; long long m : 40; }; }; int *to; };
#pragma pack(pop)

static int pool[8];
static struct bits whole = {1, {2, 3}};
static struct packed heads[2];

static int step(int n)
{
    struct aligned a = {'t', {'c', 77}, 'l'};
    struct by_typedef t = {'t', {'c', 5}, {.d = 2.5}, &pool[n]};
    struct pragma p = {'p', {'c', 1.25, {-1234, 99999999999}}, &pool[n + 1]};
    if (n < 4) n = step(n + 1);
#pragma pc3 checkpoint
    printf("aligned %c %c %d %c %d\n", a.tag, a.c, a.wide, a.last, (int)((size_t)&a % 32));
    printf("typedef %c %c %d %g %d\n", t.tag, t.c, t.n, t.d, (int)(t.to - pool));
    printf("pragma %c %c %g %d %lld %d\n", p.tag, p.c, p.d, p.n, (long long)p.m, (int)(p.to - pool));
    return n;
}

int main(void)
{
    struct mixed m = {1, {2, 3, 4}};
    struct within w = {1, {{2, 3}}};
    struct deep *d = malloc(sizeof *d);
    *d = (struct deep){1, {{-5}, 6}};
    heads[1] = (struct packed){'t', {'k', 0x0102030405060708}, "ab", &pool[5]};
#pragma pc3 checkpoint
    int n = step(0);
#pragma pc3 checkpoint
    printf("bits %d %u %u\n", whole.a, whole.low, whole.high);
    printf("mixed %d %u %u %d\n", m.a, m.low, m.high, m.plain);
    printf("within %d %u %u\n", w.a, w.low, w.high);
    printf("deep %d %d %d\n", d->a, d->inner, d->b);
    printf("packed %c %c %llx %s %d\n", heads[1].tag, heads[1].kind, heads[1].length, heads[1].pad, (int)(heads[1].next - pool));
    return n;
}
