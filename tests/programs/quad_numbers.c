/* pc3-test: seq */
/* Numbers of 128 bits, where there is one under the name that gcc and clang both have: in frames, globals, structs and on the heap. */
#include "check.h"

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#elif defined __FLT128_DIG__
typedef _Float128 quad;
#else
typedef double quad;
#endif

static quad sum = 0.25;

struct pair {
    int n;
    quad value;
};

static quad half(quad x)
{
#pragma pc3 checkpoint
    return x / 2;
}

int main(void)
{
    struct pair *p = malloc(3 * sizeof *p);
    quad kept = 1, *at = &kept;
    for (int i = 0; i < 3; i++) {
        p[i] = (struct pair){ i, kept + 1 / (quad)3 };
        sum += half(*at) + half(p[i].value) * 3;
        *at += 1;
    }
    show_real("sum", (double)((sum - 4) * 3));
    show("exact", p[2].value - kept == 1 / (quad)3 - 1);
    free(p);
    return finish();
}
