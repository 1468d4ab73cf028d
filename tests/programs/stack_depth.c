/* pc3-test: seq */
/* How deep the stack is, as a number: a limit that was set at the start holds behind a restart, wherever the stack is. */
#include "check.h"

struct limits {
    uintptr_t top, limit;
    size_t bytes;
};

static struct limits *limits;

static inline uintptr_t depth(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

static int too_deep(size_t more)
{
    return depth() - more < limits->limit;
}

static long steps(int n)
{
    if (too_deep(256))
        return -1000000;
#pragma pc3 checkpoint
    return n < 2 ? n : steps(n - 1) + steps(n - 2);
}

int main(void)
{
    limits = calloc(1, sizeof *limits);
    limits->bytes = 400000;
    limits->top = depth();
    limits->limit = limits->top - limits->bytes;
    show("steps", steps(7));
    uintptr_t here = depth();
#pragma pc3 checkpoint
    show("still here", here - depth() < 65536 || depth() - here < 65536);
    show("below the top", limits->top - here < limits->bytes || here - limits->top < 65536);
    show("steps", steps(5));
    return finish();
}
