/* pc3-test: seq */
// sh: echo some text > data
// run: PC3_EVERY=1x as=PIPE
// run: PC3_EVERY=1x as=PARTS
// run: PC3_EVERY=1x as=LEASE
// run: PC3_EVERY=1x as=MAPPED
// run: PC3_EVERY=1x as=FOLDER
// run: PC3_EVERY=1x as=REMOVED
// run: PC3_EVERY=1x as=NAMES
// run: PC3_EVERY=1x as=UNGETWC
// run: PC3_EVERY=1x as=CODED
// run: PC3_EVERY=1x as=PROC
// run: PC3_EVERY=1x as=POPEN
// run: PC3_EVERY=1x as=COOKIE
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static int make(void) {
#if defined PIPE
    int ends[2];
    return pipe(ends);
#elif defined PARTS
    int fd = open("data", O_RDWR);
    return lseek(fd, 3, SEEK_SET) < 0 || lockf(fd, F_LOCK, 2);
#elif defined LEASE
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(open("data", O_RDONLY), F_OFD_SETLK, &whole);
#elif defined MAPPED
    int fd = open("data", O_RDONLY);
    return mmap(NULL, 5, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED || close(fd);
#elif defined FOLDER
    return mkdir("folder", 0700) || open("folder", O_RDONLY) < 0 || rmdir("folder");
#elif defined REMOVED
    int fd = open("large", O_RDWR | O_CREAT, 0600);
    return ftruncate(fd, (off_t)65 << 20) || unlink("large");
#elif defined NAMES
    int fd = open("first", O_RDWR | O_CREAT, 0600);
    return fd < 0 || link("first", "second") || unlink("first");
#elif defined UNGETWC
    FILE *f = fopen("data", "r");
    return !f || fgetwc(f) == WEOF || ungetwc(L'x', f) == WEOF;
#elif defined CODED
    return fopen("data", "r,ccs=UTF-8") == NULL;
#elif defined PROC
    return open("/proc/uptime", O_RDONLY) < 0;
#elif defined POPEN
    return popen("true", "r") == NULL;
#else
    cookie_io_functions_t none = {0};
    return fopencookie(NULL, "w", none) == NULL;
#endif
}

int main(void) {
    int failed = make();
#pragma pc3 checkpoint
    return failed;
}
