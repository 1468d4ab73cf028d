/* pc3-test: seq */
/* Descriptors are numbers that the program holds: duplicates, redirected standard ones, removed files, files
 * relative to a folder that is no longer the working one. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        abort();
#pragma pc3 checkpoint
}

static long at(int fd)
{
    return (long)lseek(fd, 0, SEEK_CUR);
}

static void content(int fd, const char *name)
{
    char text[200];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n < 0 ? 0 : n] = 0;
    show_text(name, text);
}

static void shared(void)
{
    int a = open("shared", O_RDWR | O_CREAT | O_TRUNC, 0644), b = dup(a), c = open("shared", O_RDONLY);
    int d = fcntl(a, F_DUPFD, 20);
    show("a", a), show("b", b), show("c", c), show("d", d);
    put(a, "first ");
    put(b, "second ");
    put(d, "third");
    show("at a", at(a)), show("at c", at(c));
    char two[3] = "";
    if (read(c, two, 2) != 2)
        abort();
#pragma pc3 checkpoint
    show_text("two", two);
    lseek(b, 6, SEEK_SET);
#pragma pc3 checkpoint
    put(a, "SECOND");
    show("c", at(c));
    content(c, "shared");
    close(a), close(b), close(d);
    a = creat("shared", 0600);
    show("again", a);
    put(a, "new");
    content(c, "shared");
    close(a), close(c);
}

static void append(void)
{
    int a = open("appended", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644), b = open("appended", O_WRONLY | O_APPEND);
    put(a, "1");
    put(b, "2");
    put(a, "3");
    show("flags", (fcntl(a, F_GETFL) & O_APPEND) != 0);
    show("exec", fcntl(a, F_GETFD) + 10 * fcntl(b, F_GETFD));
    close(a);
#pragma pc3 checkpoint
    put(b, "4");
    close(b);
    a = open("appended", O_RDONLY);
    content(a, "appended");
    close(a);
}

static void removed(void)
{
    char name[] = "unique-XXXXXX";
    int a = mkstemp(name), b = open(name, O_RDONLY);
    put(a, "kept by two");
    unlink(name);
#pragma pc3 checkpoint
    put(a, " descriptors");
    content(b, "removed");
    show("gone", access(name, F_OK));
    ftruncate(a, 4);
#pragma pc3 checkpoint
    content(b, "cut");
    show("mode", fcntl(b, F_GETFL) & O_ACCMODE);
    close(a), close(b);
}

/* Standard output leads to a file for a while. */
static void redirected(void)
{
    printf("before\n");
    fflush(stdout);
    int saved = dup(1), file = open("captured", O_RDWR | O_CREAT | O_TRUNC, 0644);
    dup2(file, 1);
    close(file);
    for (int i = 0; i < 3; i++) {
        printf("captured %d\n", i);
#pragma pc3 checkpoint
    }
    fflush(stdout);
    content(1, "captured");
    fflush(stdout);
    dup2(saved, 1);
#pragma pc3 checkpoint
    close(saved);
    printf("after\n");
    close(0);
#pragma pc3 checkpoint
    int zero = open("captured", O_RDONLY);
    show("zero", zero);
#pragma pc3 checkpoint
    char line[20];
    show_text("line", fgets(line, sizeof line, stdin));
#pragma pc3 checkpoint
    show_text("line", fgets(line, sizeof line, stdin));
}

static void folders(void)
{
    mkdir("folder", 0755);
    int up = open(".", O_RDONLY | O_DIRECTORY), first = open("first", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (chdir("folder") || up < 0)
        abort();
#pragma pc3 checkpoint
    FILE *f = fopen("inside", "w");
    fputs("in the folder", f);
#pragma pc3 checkpoint
    put(first, "above");
    show("above", access("../first", F_OK) + access("inside", F_OK));
    fclose(f);
    int inside = openat(up, "folder/inside", O_RDONLY);
#pragma pc3 checkpoint
    content(inside, "inside");
    if (fchdir(up))
        abort();
#pragma pc3 checkpoint
    close(inside), close(first), close(up);
    first = open("first", O_RDONLY);
    content(first, "first");
    close(first);
}

int main(void)
{
    int null = open("/dev/null", O_WRONLY);
    shared();
    append();
    removed();
    redirected();
    folders();
    put(null, "nothing");
    show("null", null);
    return finish();
}
