/* pc3-test: seq */
/* What the C library keeps in variables that the program sees, and between the bytes of a character. */
#define _GNU_SOURCE
#include "check.h"
#include <error.h>
#include <math.h>
#include <wchar.h>

int main(void)
{
    volatile double x = -2.5;
    double g = lgamma(x);
#pragma pc3 checkpoint
    show("sign", signgam);
    show("gamma", (long)(1000 * g));
    error_message_count = 5;
    error_one_per_line = 1;
    mbstate_t own;
    wchar_t wide = 0;
    char bytes[8];
    memset(&own, 0, sizeof own);
    show("one", (long)mbrtowc(&wide, "a", 1, NULL));
#pragma pc3 checkpoint
    show("count", (long long)error_message_count + 10 * error_one_per_line);
    show("two", (long)mbrtowc(&wide, "b", 1, &own) + wide);
    show("old", mbtowc(&wide, "c", 1) + 10 * mbtowc(NULL, NULL, 0));
    show("back", (long)wcrtomb(bytes, wide, NULL));
#pragma pc3 checkpoint
    show("initial", mbsinit(&own) != 0);
    show("length", (long)mbrlen("d", 1, NULL));
    return finish();
}
