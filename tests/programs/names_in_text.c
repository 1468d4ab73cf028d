/* pc3-test: seq flags=-Wno-unused-value,-Wno-implicit-fallthrough,-Wno-declaration-after-statement */
/* Names where no expression of the program stands (assertions, bounds of prototypes, members in offsetof), and comma expressions where a comma
 * means something else: the variables are moved by what is saved of them. */
#include "check.h"

#include <stddef.h>

struct one { int base; size_t hash, len; const char *data; };
struct two { int base; size_t free, len; void *items; };

static int pause_here(int n)
{
#pragma pc3 checkpoint
    return n;
}

static int assertions(int n)
{
    int len = pause_here(n), *p = &len;
    const char *data = "abc";
    int rows[len + 1][3];
    _Static_assert(offsetof(struct one, len) == offsetof(struct two, len), "len");
    _Static_assert(offsetof(struct one, data) == offsetof(struct two, items) && sizeof len == sizeof *p, "data");
    _Static_assert(sizeof(struct { char len, data; }) == 2 && sizeof(rows[0]) == 3 * sizeof(rows[0][0]), "rows");
    _Alignas(sizeof len) int aligned = len;
    rows[len][2] = aligned;
    pause_here(*p);
    return rows[len][2] + data[len % 3] + (int)(sizeof rows[0] / sizeof len);
}

static int sum_of(int n, const int *a, int (*b)[n])
{
    pause_here(n);
    return a[n - 1] + (*b)[0] + (int)(sizeof *b / sizeof(int));
}

static int bounds(int n)
{
    int len = pause_here(n) + 2, *p = &len, a[len];
    int (*sum)(int m, const int[len], int (*)[m]) = sum_of;
    for (int i = 0; i < len; i++)
        a[i] = i + n;
    pause_here(*p);
    return sum(len, a, &a);
}

static int commas(int n)
{
    int const a = (pause_here(n), n + 1), b = (n++, 7);
    int c = (0, n + 2), *p = &c;
    const int v[2] = { (pause_here(2), a + 1), (n, 4) };
    struct { int x, y; } s = { .y = (pause_here(1), b), .x = (n, pause_here(a)) };
    const char *const text = (((void)0), "hello" + (n & 1));
    for (int i = (n, 0); i < 3; i++)
        c += pause_here((i, a)) + (pause_here(b), v[i & 1]);
    if (pause_here(0), c > 3)
        c += (pause_here(c), 5) ? (n, s.x) : s.y;
    while (pause_here(c), 0)
        ;
    return (pause_here(*p), a + b + c + v[0] + v[1] + s.x + s.y + text[0]);
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        show("assertions", assertions(i));
        show("bounds", bounds(i));
        show("commas", commas(i));
    }
    return finish();
}
