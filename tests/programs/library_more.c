/* pc3-test: seq */
/* More that functions of the C library keep: in their own memory, in the program's, and what programs set once. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <fenv.h>
#include <getopt.h>
#include <grp.h>
#include <libintl.h>
#include <locale.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <threads.h>
#include <unistd.h>

char *re_comp(const char *);
int re_exec(const char *);

struct item {
    struct item *next, *before;
    int value;
};

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void lists(void)
{
    struct item items[3] = {{NULL, NULL, 1}, {NULL, NULL, 2}, {NULL, NULL, 3}};
    int numbers[4] = {4, 7};
    size_t n = 2;
    insque(&items[0], NULL);
    insque(&items[1], &items[0]);
#pragma pc3 checkpoint
    insque(&items[2], &items[1]);
    remque(&items[1]);
#pragma pc3 checkpoint
    show("next", items[0].next->value * 10 + items[2].before->value);
    int key = 9;
    int *at = lsearch(&key, numbers, &n, sizeof *numbers, by_value);
#pragma pc3 checkpoint
    show("place", at - numbers);
    key = 7;
    show("found", (int *)lfind(&key, numbers, &n, sizeof *numbers, by_value) == numbers + 1);
    struct hsearch_data table;
    memset(&table, 0, sizeof table);
    hcreate_r(10, &table);
    ENTRY entry = {"one", numbers}, *found;
    hsearch_r(entry, ENTER, &found, &table);
#pragma pc3 checkpoint
    entry.data = NULL;
    show("hashed", hsearch_r(entry, FIND, &found, &table) && found->data == numbers);
    hdestroy_r(&table);
}

static void texts(void)
{
    int point, sign;
    char *digits = ecvt(3.25, 4, &point, &sign);
#pragma pc3 checkpoint
    show_text("digits", digits);
    char *fixed = fcvt(-2.5, 2, &point, &sign), *letters = l64a(123456);
#pragma pc3 checkpoint
    show_text("fixed", fixed);
    show_text("letters", letters);
    show("pattern", re_comp("b+c$") == NULL);
#pragma pc3 checkpoint
    show("matches", re_exec("abbc") * 10 + re_exec("abbcd"));
    textdomain("one");
    show("codeset", bind_textdomain_codeset("one", NULL) == NULL);
    struct passwd *user = getpwuid(0);
    struct group *group = getgrnam("root");
#pragma pc3 checkpoint
    show_text("user", user ? user->pw_name : "none");
    show("group", group ? (int)group->gr_gid : -1);
    show("login", getlogin() == getlogin() || !getlogin());
}

static int reads(FILE *from, const char *format, ...)
{
    va_list to;
    va_start(to, format);
    int n = from ? vfscanf(from, format, to) : vscanf(format, to);
    va_end(to);
    return n;
}

static void streams(void)
{
    static char room[64];
    FILE *f = fopen("more.txt", "w+"), *lines = fopen("lines.txt", "w+"), *first = stdin;
    int a = 0, b = 0;
    setbuffer(f, room, sizeof room);
    setlinebuf(lines);
    fprintf(f, "12 34 56 ");
    fprintf(lines, "complete\nnot");
#pragma pc3 checkpoint
    rewind(f);
    show("read", reads(f, "%d", &a));
#pragma pc3 checkpoint
    stdin = f;
    show("read", reads(NULL, "%d", &b));
    stdin = first;
    show("both", a * 100 + b);
    fclose(f), fclose(lines);
    int memory = memfd_create("memory", 0);
    if (write(memory, "abcdef", 6) != 6)
        abort();
#pragma pc3 checkpoint
    show("memory", lseek(memory, 0, SEEK_CUR));
    close(memory);
}

static void options(void)
{
    char *words[] = {"program", "-second", "-first", "rest", NULL};
    const struct option known[] = {{"first", 0, NULL, 1}, {"second", 0, NULL, 2}, {NULL, 0, NULL, 0}};
    int option;
    optind = 0;
    while ((option = getopt_long_only(4, words, "", known, NULL)) != -1) {
#pragma pc3 checkpoint
        show("option", option);
    }
    show("rest", optind);
}

static void settings(void)
{
    sigset_t all, some;
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigprocmask(SIG_BLOCK, NULL, &some);
    show("blocked", sigismember(&some, SIGALRM) + sigismember(&all, SIGALRM) * 10);
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1);
    int nice = getpriority(PRIO_PROCESS, 0);
    struct rlimit64 files;
    getrlimit64(RLIMIT_CORE, &files);
    files.rlim_cur = 0;
    setrlimit64(RLIMIT_CORE, &files);
    locale_t before = uselocale((locale_t)0);
    tss_t key;
    tss_create(&key, NULL);
    tss_set(key, &nice);
#pragma pc3 checkpoint
    show("nice", getpriority(PRIO_PROCESS, 0) == nice);
    getrlimit64(RLIMIT_CORE, &files);
    show("core", (long long)files.rlim_cur);
    show("locale", uselocale((locale_t)0) == before || before != (locale_t)0);
    show("key", tss_get(key) == &nice);
}

int main(void)
{
    lists();
    texts();
    streams();
    options();
    settings();
    return finish();
}
