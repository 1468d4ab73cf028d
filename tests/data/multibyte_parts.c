/* Characters of which a part has come when a checkpoint is taken. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#ifdef OWN
static mbstate_t own;
#define STATE (&own)
#else
#define STATE NULL
#endif

int main(void)
{
    wchar_t wide = 0;
    const char *text = "a\xc3\xa4\xe2\x82\xac z";
    setlocale(LC_ALL, "C.UTF-8");
    for (; *text; text++) {
#pragma pc3 checkpoint
        int got = (int)mbrtowc(&wide, text, 1, STATE);
        printf("%d %x", got, (unsigned)wide);
        got = (int)mbrlen(text, 1, STATE);
        printf(" %d", got);
        printf(" %d", (int)mbrlen("\x80\x80", 2, STATE));
        // By itself, in the GNU C library with what came before.
        got = mbtowc(&wide, text, 1);
        printf(" %d %x\n", got, got > 0 ? (unsigned)wide : 0);
    }
    return 0;
}
