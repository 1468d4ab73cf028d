/* pc3-test: seq */
/* Expressions and declarations of C11 and GNU C around locations. */
#include "check.h"

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

_Static_assert(sizeof(char) == 1, "bytes");

struct empty {};
struct packet {
    struct empty nothing;
    unsigned short length;
    unsigned char data[0];
};
struct wide {
    _Alignas(16) char c;
    int v __attribute__((aligned(8)));
} __attribute__((may_alias));

#define KIND(x) _Generic((x), int: "int", double: "double", char *: "text", default: "other")
#define MAX(a, b)              \
    __extension__({            \
        __typeof__(a) a_ = (a); \
        __auto_type b_ = (b);  \
        a_ > b_ ? a_ : b_;     \
    })

static int optional(int x)
{
    int y = tick(x) ?: 100;
    int z = x ?: tick(y);
#pragma pc3 checkpoint
    return y * 1000 + z + (tick(-1) ?: tick(6));
}

static int ranges(int x)
{
    static const int table[16] = {[0 ... 3] = 1, [4] = 2, [8 ... 11] = 5};
    switch (tick(x)) {
    case 0 ... 4:
#pragma pc3 checkpoint
        return table[x & 15];
    case 5 ... 9:
        return 10 * table[x & 15] + tick(0);
    default:
        return -1;
    }
}

static long generic(void)
{
    long n = 0;
    double d = MAX(tick(2) * 1.5, 4.0);
    show_text("kind", KIND(tick(1)));
    show_text("kind", KIND(d));
    show_text("kind", KIND(1.0f));
    n += __builtin_choose_expr(sizeof(int) == 4, tick(10), "never");
    n += __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(d), double), 5, 1000.5);
    n += _Generic(d, double: tick(20), default: tick(2000));
    n += (int)d + MAX(tick((int)n), MAX(tick(3), 7));
    return n;
}

static int packets(void)
{
    struct packet *p = malloc(sizeof *p + 5);
    struct wide w = {.c = 1, .v = 2}, *kept = &w;
    struct empty e[3], *q = e + 1;
    int sum = 0;
    if (!p)
        abort();
    p->length = 5;
    for (int i = 0; i < p->length; i++) {
        p->data[i] = (unsigned char)tick(i);
        kept->v += p->data[i];
    }
#pragma pc3 checkpoint
    for (int i = 0; i < p->length; i++)
        sum = sum * 2 + p->data[i];
    free(p);
    return sum + w.v + kept->c + (q == e + 1) + (int)((uintptr_t)kept % 16);
}

static int literals(int x)
{
    struct pair {
        int a, b;
    } *p = &(struct pair){tick(x), x}, q = (struct pair){.b = tick(p->a)};
    const int *list = (const int[]){1, tick(2), [4] = 9};
#pragma pc3 checkpoint
    return p->a * 1000 + p->b * 100 + q.b * 10 + list[1] + list[4] + q.a;
}

static __inline__ __attribute__((__always_inline__, __unused__)) int forced(register int x)
{
    const int before = x;
    x = tick(x);
    return before * 10 + x;
}

__attribute__((noinline, cold)) static int renamed(int) __asm__("another_name");
static int renamed(int x)
{
#pragma pc3 checkpoint
    return tick(x) * 3;
}

extern int variable_of_another_name __asm__("its_symbol");
int variable_of_another_name = 40;

static int comma(int n)
{
    int i, j, sum = 0;
    for (i = 0, j = n; i < j; i++, j = j - (tick(0), 1))
        sum += (tick(i), tick(j)) * (i & 1 ? tick(1) : -3);
    return sum;
}

int main(void)
{
    volatile int zero = 0;
    show("optional", optional(zero));
    show("optional", optional(-1));
    for (int i = -1; i < 10; i += 2)
        show("range", ranges(i));
    show("generic", generic());
    show("packets", packets());
    show("literals", literals(3));
    show("forced", forced(4));
    variable_of_another_name += renamed(5);
#pragma pc3 checkpoint
    show("renamed", variable_of_another_name);
    show("comma", comma(6));
    return finish();
}
