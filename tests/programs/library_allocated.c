/* pc3-test: seq */
/* What the C library allocates for the program: scanf's texts, lists of argz.h and envz.h. */
#define _GNU_SOURCE
#include "check.h"
#include <argz.h>
#include <arpa/inet.h>
#include <envz.h>
#include <stdarg.h>
#include <wchar.h>

static char *kept[12];
static wchar_t *wide;

static int scan(const char *text, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vsscanf(text, format, list);
    va_end(list);
    return n;
}

static void texts(int i)
{
    char line[60], plain[20] = "", *word = 0, *rest = 0, *three = 0, format[] = "%d %ms";
    int number = 0, length = 0;
    snprintf(line, sizeof line, "%d word%d 100%% [abc] xyz-%d", i, i * i, i);
    show("scanned", sscanf(line, "%d %m[a-z0-9]%n %*d%% %*5ms %3mc%19s", &number, &word, &length, &three, plain));
    kept[0] = word;
    kept[1] = three;
#pragma pc3 checkpoint
    printf("%d %s %d %.3s %s\n", number, kept[0], length, kept[1], plain);
    show("by position", sscanf(line, "%2$d %1$ms", &rest, &number));
    show("too few", sscanf("7", "%d %ms", &number, &kept[2]));
    show("computed", scan(line, format, &number, &kept[3]));
    show("wide", sscanf("9 wide", "%d %mls", &number, &wide));
#pragma pc3 checkpoint
    show_text(rest, kept[3]);
    show("wide", wide ? (long long)wcslen(wide) : -1);
    free(wide);
    wide = 0;
    for (int k = 0; k < 4; k++) {
        free(kept[k]);
        kept[k] = 0;
    }
    free(rest);
}

static void list(const char *what, char *argz, size_t length)
{
    printf("%s %d:", what, (int)length);
    for (char *e = 0; (e = argz_next(argz, length, e));)
        printf(" <%s>", e);
    printf("\n");
}

static void lists(char **arguments)
{
    char *a = 0, *b = 0, *e = 0, *nothing = 0;
    size_t na = 0, nb = 0, ne = 0, none = 0;
    unsigned replaced = 0;
    show("create", argz_create(arguments, &a, &na));
    show("separated", argz_create_sep(":x::yy:z:", ':', &b, &nb));
    show("nothing", argz_create_sep("", ':', &nothing, &none) + !nothing + (int)none);
    argz_add(&a, &na, "more");
    argz_add_sep(&a, &na, "p,,q,r", ',');
    argz_append(&a, &na, "s\0t", 4);
#pragma pc3 checkpoint
    list("a", a, na);
    list("b", b, nb);
    argz_insert(&a, &na, argz_next(a, na, a), "second");
    show("outside", argz_insert(&a, &na, a + na, "never") != 0);
    argz_add(&a, &na, "foo too");
    argz_replace(&a, &na, "o", "00", &replaced);
    argz_replace(&a, &na, "none", "", &replaced);
    show("replaced", replaced);
    argz_delete(&a, &na, a);
    envz_add(&e, &ne, "HOME", "/root");
    envz_add(&e, &ne, "EMPTY", "");
    envz_add(&e, &ne, "NAME", 0);
    envz_add(&e, &ne, "HOME", "/home");
    envz_merge(&e, &ne, "HOME=/other\0NEW=1", 18, 0);
    envz_merge(&e, &ne, "EMPTY=full", 11, 1);
#pragma pc3 checkpoint
    list("a", a, na);
    list("e", e, ne);
    show_text("HOME", envz_get(e, ne, "HOME"));
    envz_remove(&e, &ne, "HOME");
    envz_remove(&e, &ne, "ABSENT");
    envz_strip(&e, &ne);
    list("e", e, ne);
    while (nb)
        argz_delete(&b, &nb, b);
    show("empty", b == 0);
    free(a);
    free(e);
}

int main(void)
{
    char *arguments[] = {"one", "two", "", "four", 0};
    struct in_addr address = {htonl(0x7f000102)};
    const char *text = inet_ntoa(address);
    for (int i = 0; i < 2; i++)
        texts(i + 11);
    lists(arguments);
    show_text("address", text);
    return finish();
}
