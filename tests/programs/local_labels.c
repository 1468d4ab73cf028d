/* pc3-test: seq */
/* Labels of blocks (GNU C's __label__), the same ones in several blocks, around locations. */
#include "check.h"

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

#define FIND(array, n, wanted, place)              \
    do {                                           \
        __label__ found, out;                      \
        int i_;                                    \
        (place) = -1;                              \
        for (i_ = 0; i_ < (n); i_++)               \
            if (tick((array)[i_]) == (wanted) + 1) \
                goto found;                        \
        goto out;                                  \
    found:                                         \
        (place) = i_;                              \
    out:;                                          \
    } while (0)

static int two_blocks(const int *a, int n)
{
    __label__ again;
    int first, second, rounds = 0;
again:
    FIND(a, n, 30, first);
#pragma pc3 checkpoint
    FIND(a, n, 77, second);
    if (rounds++ < 2)
        goto again;
    return first * 100 + second + rounds;
}

static int shadowing(int n)
{
    int sum = 0;
again:
    {
        __label__ again;
        int k = 0;
    again:
        sum += tick(k);
        if (++k < 2)
            goto again;
    }
    if (--n > 0)
        goto again;
    return sum;
}

static int in_expression(int n)
{
    int best = ({
        __label__ done;
        int k = n;
        if (k > 3)
            goto done;
        k = 10 * k;
    done:
        k;
    });
    return tick(best) + ({
        __label__ done;
        int k = 1;
        if (best > 5)
            goto done;
        k = 2;
    done:
        k;
    });
}

int main(void)
{
    static const int a[] = {10, 20, 30, 40};
    show("blocks", two_blocks(a, 4));
    show("shadowing", shadowing(3));
    show("expression", in_expression(2));
    show("expression", in_expression(9));
    return finish();
}
