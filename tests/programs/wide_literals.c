/* pc3-test: seq */
/* Pointers to wide string literals, whose characters have another type on each machine. */
#include <pc3.h>
#include <stdio.h>
#include <wchar.h>

static const wchar_t *days[] = { L"Monday", L"Tuesday" };

static int length(const void *text) { return (int)wcslen(text); }

int main(void)
{
    const wchar_t *word = L"abcdef";
    for (int i = 0; i < 3; i++) {
        pc3_checkpoint();
        printf("%d %d %d\n", length(word), length(days[i % 2]), days[1][i] == L"Tuesday"[i]);
    }
    return 0;
}
