/* pc3-test: seq */
/* Wide characters in files, under a locale with characters of several bytes. */
#define _GNU_SOURCE
#include "../programs/check.h"
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

static void print(const char *name)
{
    FILE *f = fopen(name, "w");
    show("orientation", fwide(f, 1) > 0);
    for (int i = 0; i < 12; i++) {
        fwprintf(f, L"%d \u00e9\u20ac%lc%s\n", i, (wint_t)(L'\u03b1' + i), "x");
#pragma pc3 checkpoint
        if (i % 5 == 4)
            fflush(f);
    }
    fclose(f);
}

static void scan(const char *name)
{
    FILE *f = fopen(name, "r");
    wchar_t line[40];
    for (int i = 0; fgetws(line, 40, f); i++) {
#pragma pc3 checkpoint
        long long h = 0;
        for (wchar_t *p = line; *p; p++)
            h = h * 131 + *p;
        show("line", h);
        if (i == 6) {
            ungetwc(L'\u20ac', f);
            show("back", fgetwc(f));
        }
    }
    show("end", feof(f));
#pragma pc3 checkpoint
    fclose(f);
}

int main(void)
{
    /* Without it the rest is about bytes. */
    const char *locale = setlocale(LC_ALL, "C.UTF-8");
    show("locale", locale != NULL);
#pragma pc3 checkpoint
    show_text("name", setlocale(LC_CTYPE, NULL));
    const char *text = "a\303\251\342\202\254z";
    mbstate_t state;
    memset(&state, 0, sizeof state);
    size_t left = strlen(text);
    wchar_t c;
    while (left > 0) {
        size_t n = mbrtowc(&c, text, 1, &state);
#pragma pc3 checkpoint
        text++, left--;
        if (n != (size_t)-2)
            show("wide", c);
    }
    show("upper", towupper(L'\u00e9'));
    print("wide");
    scan("wide");
    setlocale(LC_ALL, "C");
#pragma pc3 checkpoint
    show("lower", towlower(L'\u00c9') == L'\u00c9');
    return finish();
}
