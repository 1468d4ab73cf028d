/* pc3-test: seq */
/* `mbtowc` is given characters in parts: the GNU C library remembers what has come, musl does not. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    wchar_t wide = 0;
    const char *text = "a\xc3\xa4\xe2\x82\xac z";
    setlocale(LC_ALL, "C.UTF-8");
    for (; *text; text++) {
#pragma pc3 checkpoint
        int got = mbtowc(&wide, text, 1);
        printf("%d %x\n", got, (unsigned)wide);
    }
    return 0;
}
