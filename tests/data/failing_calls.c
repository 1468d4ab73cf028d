/* In front of the C library: the calls that change a directory are counted, and one of them fails or ends the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* FAILING_DIR; FAILING_AT: the number of the call; FAILING_HOW: `io` (it alone), `full` (from there on nothing is written),
 * `killed`, `torn` (killed when half is written); FAILING_COUNT: a file for three numbers: of calls so far; 1 if the one that
 * failed was to remove a file; of the last call that gave a checkpoint its name. */
static const char *dir, *how;
static long at, *count;

__attribute__((constructor)) static void begin(void)
{
    const char *file = getenv("FAILING_COUNT");
    if (!file || !strcmp(program_invocation_short_name, "pc3run"))
        return;
    dir = getenv("FAILING_DIR");
    how = getenv("FAILING_HOW");
    at = atol(getenv("FAILING_AT"));
    int fd = open(file, O_RDWR);
    count = mmap(0, 3 * sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
}

static int error_of(const char *path, int needs_room)
{
    if (!count || strncmp(path, dir, strlen(dir)))
        return 0;
    long n = __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
    int full = !strcmp(how, "full");
    if (full ? n < at || !needs_room : n != at)
        return 0;
    if (!strcmp(how, "killed") || (!strcmp(how, "torn") && !needs_room))
        kill(getpid(), SIGKILL);
    return full ? ENOSPC : EIO;
}

static int error_at(int fd, int needs_room)
{
    char link[40], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0)
        return 0;
    path[n] = 0;
    return error_of(path, needs_room);
}

#define REAL(f) ((__typeof__(&f))dlsym(RTLD_NEXT, #f))
#define OR_FAIL(error, call)                                                                       \
    int errors = error;                                                                            \
    if (errors) {                                                                                  \
        errno = errors;                                                                            \
        return -1;                                                                                 \
    }                                                                                              \
    return call

/* Half of it fits. */
ssize_t write(int fd, const void *bytes, size_t length)
{
    int failed = error_at(fd, 1);
    if (!failed || (failed == ENOSPC && length > 1 && *count == at))
        return REAL(write)(fd, bytes, failed ? length / 2 : length);
    if (!strcmp(how, "torn")) {
        REAL(write)(fd, bytes, length / 2);
        kill(getpid(), SIGKILL);
    }
    errno = failed;
    return -1;
}

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, int mode)
{
    OR_FAIL(flags & O_CREAT ? error_of(path, 1) : 0, real(path, flags, mode));
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return opened(REAL(open), path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return opened(REAL(open64), path, flags, mode);
}

int fsync(int fd)
{
    OR_FAIL(error_at(fd, 0), REAL(fsync)(fd));
}

int mkdir(const char *path, mode_t mode)
{
    OR_FAIL(error_of(path, 1), REAL(mkdir)(path, mode));
}

int rename(const char *from, const char *to)
{
    int failed = error_of(from, 0);
    const char *dot = strrchr(to, '.');
    if (count && dot && !strcmp(dot, ".pc3c"))
        count[2] = *count;
    OR_FAIL(failed, REAL(rename)(from, to));
}

int unlink(const char *path)
{
    int failed = error_of(path, 0);
    if (!failed)
        return REAL(unlink)(path);
    count[1] = 1;
    errno = failed;
    return -1;
}
