/* pc3-test: seq */
/* Directory streams and lists of folders, between whose entries the program is moved. */
#define _GNU_SOURCE
#include "check.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *name)
{
    int fd = creat(name, 0644);
    close(fd);
}

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h;
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

int main(void)
{
    mkdir("folder", 0755);
    mkdir("folder/below", 0755);
    char name[40];
    for (int i = 0; i < 20; i++) {
        sprintf(name, "folder/file%d", i * i);
        make(name);
    }
    /* The order is the file system's. */
    DIR *dir = opendir("folder");
    unsigned sum = 0, names = 0, folders = 0;
    struct dirent *entry;
    long middle = 0;
    while ((entry = readdir(dir))) {
        struct stat about;
        char *kept = entry->d_name;
#pragma pc3 checkpoint
        sum += hash(kept);
        names++;
        fstatat(dirfd(dir), entry->d_name, &about, 0);
        folders += S_ISDIR(about.st_mode);
        if (names == 9)
            middle = telldir(dir);
    }
    show("names", names), show("folders", folders), show("sum", sum);
    seekdir(dir, middle);
    for (names = 0; readdir(dir); names++)
        ;
    show("behind", names);
    rewinddir(dir);
    make("folder/new");
    struct dirent **list;
    int n = scandir("folder", &list, visible, alphasort);
#pragma pc3 checkpoint
    for (int i = 0; i < n; i++) {
        show_text("entry", list[i]->d_name);
#pragma pc3 checkpoint
        free(list[i]);
    }
    free(list);
    DIR *second = fdopendir(open("folder/below", O_RDONLY | O_DIRECTORY));
#pragma pc3 checkpoint
    for (names = 0; readdir(second); names++)
        ;
    show("empty", names);
    closedir(second);
    show("closed", closedir(dir));
    errno = 0;
    show("missing", !opendir("folder/nothing") && errno == ENOENT);
    show("no folder", !opendir("folder/new") && errno == ENOTDIR);
    DIR *last = opendir(".");
#pragma pc3 checkpoint
    show("descriptor", dirfd(last));
    closedir(last);
    return finish();
}
