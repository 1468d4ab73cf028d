/* pc3-test: seq */
/* Descriptors of no file and objects of the library's: no checkpoint is taken while one is there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fts.h>
#include <locale.h>
#include <nl_types.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

static void location(void)
{
#pragma pc3 checkpoint
}

static void one(int fd)
{
    if (fd < 0)
        abort();
    location();
    close(fd);
}

static void two(int pair[2])
{
    location();
    close(pair[0]), close(pair[1]);
}

static ssize_t takes(void *cookie, const char *text, size_t n)
{
    *(size_t *)cookie += n + (text == NULL);
    return (ssize_t)n;
}

static void connection(int flags)
{
    struct sockaddr_un at = {AF_UNIX, "meeting"};
    int waits = socket(AF_UNIX, SOCK_STREAM, 0), calls = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(waits, (struct sockaddr *)&at, sizeof at);
    listen(waits, 1);
    if (connect(calls, (struct sockaddr *)&at, sizeof at))
        abort();
    int both = flags ? accept4(waits, NULL, NULL, flags) : accept(waits, NULL, NULL);
    close(waits), close(calls);
    one(both);
    unlink("meeting");
}

int main(void)
{
    int pair[2];
    size_t taken = 0;
    char *paths[] = {".", NULL};
    cookie_io_functions_t how = {.write = takes};
    one(epoll_create(1));
    one(epoll_create1(0));
    one(eventfd(0, 0));
    one(inotify_init());
    one(inotify_init1(0));
    one(timerfd_create(CLOCK_MONOTONIC, 0));
    connection(0);
    connection(SOCK_CLOEXEC);
    if (pipe2(pair, O_CLOEXEC) == 0)
        two(pair);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0)
        two(pair);
    FILE *own = fopencookie(&taken, "w", how);
    location();
    fclose(own);
    FTS *tree = fts_open(paths, FTS_PHYSICAL, NULL);
    location();
    fts_close(tree);
    sem_t *shared = sem_open("/pc3-held", O_CREAT, 0600, 1);
    location();
    sem_close(shared), sem_unlink("/pc3-held");
    locale_t copy = duplocale(LC_GLOBAL_LOCALE);
    location();
    freelocale(copy);
    nl_catd texts = catopen("/dev/null", 0);
    if (texts != (nl_catd)-1)
        catclose(texts);
    puts("end");
    location();
    return 0;
}
