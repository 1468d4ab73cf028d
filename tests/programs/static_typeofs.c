/* pc3-test: seq */
/* Statics of functions whose lengths and types are said by `__typeof__` of what is local there. */
#include <stdio.h>

#define IS_SIGNED(e) _Generic((__typeof__(e)){0}, int: 1, unsigned: 0, default: 2)

static const char *name(int number, unsigned kind)
{
    static char text[10 + IS_SIGNED(number) + IS_SIGNED(kind) + sizeof(__typeof__(kind))];
    static __typeof__(number) calls;
    static struct { __typeof__(kind) last; } seen;
    calls++;
    seen.last = kind;
    snprintf(text, sizeof text, "%d %u %d", number, seen.last, calls);
    return text;
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
#pragma pc3 checkpoint
        printf("%s\n", name(-i, 3u * i));
    }
    return 0;
}
