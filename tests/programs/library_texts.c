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

int main(void)
{
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
