/* pc3-test: seq */
/* Results of library functions that live in its memory, or in memory that it has allocated. */
#define _GNU_SOURCE
#include "check.h"
#include <grp.h>
#include <langinfo.h>
#include <locale.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Each function has a result of its own, and texts of a locale stay. */
static void side_by_side(void)
{
    const char *days[7], *old = setlocale(LC_CTYPE, NULL);
    int point, sign;
    for (int i = 0; i < 7; i++)
        days[i] = nl_langinfo(DAY_1 + i);
    setlocale(LC_CTYPE, "C.UTF-8");
    show_text("back", setlocale(LC_CTYPE, old));
    char *one = ecvt(1.25, 5, &point, &sign), *other = fcvt(3.5, 2, &point, &sign);
    struct passwd *by_number = getpwuid(0), *by_name = getpwnam("daemon");
    struct group *group = getgrgid(0), *another = getgrnam("daemon");
#pragma pc3 checkpoint
    for (int i = 0; i < 7; i++)
        show_text(days[i], nl_langinfo(DAY_1 + i));
    show("day", days[3] == nl_langinfo(DAY_4));
    show_text(one, other);
    show_text(by_number->pw_name, by_name ? by_name->pw_name : "none");
    show_text(group->gr_name, another ? another->gr_name : "none");
    show_text("unknown", strerror(9999));
#pragma pc3 checkpoint
    show_text("old", old);
}

int main(void)
{
    side_by_side();
    show("unknown", getpwnam("nobody of that name") == NULL);
    char *locale = setlocale(LC_ALL, "C"), *charset = nl_langinfo(CODESET);
    char *terminal = ctermid(NULL), *none = ttyname(-1);
    mkdir("inside", 0755);
    if (chdir("inside"))
        abort();
    char *folder = getcwd(NULL, 0), *real = realpath("../inside/.", NULL), *found = canonicalize_file_name("..");
    char *name = tempnam("/tmp", "abc"), *again = get_current_dir_name();
    wchar_t *wide = wcsdup(L"wide \u00e9 text");
    struct lconv *conventions = localeconv();
    struct passwd *root = getpwnam("root");
    struct group *group = getgrgid(0);
#pragma pc3 checkpoint
    show_text("locale", locale);
    show_text("charset", charset);
    show_text("terminal", terminal);
    show("none", none == NULL);
    show_text("folder", base(folder));
    show_text("real", base(real));
    show("above", strlen(found) < strlen(real) && !strncmp(found, real, strlen(found)));
    show("name", !strncmp(name, "/tmp/abc", 8));
    show("again", !strcmp(again, folder));
    show("wide", wide[5] * 100 + (int)wcslen(wide));
    show_text("point", conventions->decimal_point);
    show("grouping", conventions->grouping[0]);
    show_text("account", root->pw_name);
    show("id", root->pw_uid);
    show_text("home", root->pw_dir);
    show_text("group", group->gr_name);
#pragma pc3 checkpoint
    free(folder), free(real), free(found), free(name), free(again), free(wide);
    show_text("all", setlocale(LC_ALL, NULL));
    show("same", setlocale(LC_NUMERIC, NULL) == locale);
#pragma pc3 checkpoint
    show_text("still", locale);
    return finish();
}
