/* pc3-test: seq */
/* Types of functions keep the packing that `#pragma pack` gives them, and `__func__` its length, wherever they are moved to. */
#include "check.h"
#include <stddef.h>
#include <string.h>

static int packed(int n)
{
#pragma pack(push, 2)
    struct outer {
        char c;
        struct inner {
            int n;
        } in;
    } v = { 'a', { n } };
#pragma pack(pop)
    struct natural {
        char c;
        int n;
    } w = { 'b', n };
#pragma pc3 checkpoint
    show("packed", sizeof v * 100 + offsetof(struct outer, in));
    show("natural", sizeof w * 100 + offsetof(struct natural, n));
    return v.in.n + w.n;
}

#pragma pack(push, kept, 1)
static int around(int n)
{
    struct tight {
        char c;
        long long l;
    } v = { 'c', n };
#pragma pack()
    struct loose {
        char c;
        short s;
    } w = { 'd', (short)n };
#pragma pc3 checkpoint
    show("tight", sizeof v);
    show("loose", sizeof w);
    return (int)v.l + w.s;
}
#pragma pack(pop, kept)

static int named(int n)
{
    static int length = sizeof(__func__);
    static char copy[sizeof(__FUNCTION__) + 1];
    int before = sizeof(__func__);
#pragma pc3 checkpoint
    strcpy(copy, __func__);
    show("lengths", length * 100 + before * 10 + (int)sizeof(__func__));
    show("copy", sizeof copy * 10 + strlen(copy));
    return n;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        show("packed", packed(i));
        show("around", around(i));
        show("named", named(i));
    }
    return finish();
}
