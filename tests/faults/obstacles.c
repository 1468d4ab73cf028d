/* pc3-test: seq */
/* Each of these keeps a checkpoint from being taken while it is there. */
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int ends[2];

static void *waits(void *unused)
{
    char c;
    return read(ends[0], &c, 1) == 1 ? NULL : unused;
}

int main(void)
{
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
#pragma pc3 checkpoint
    close(s);
    FILE *p = popen("true", "r");
#pragma pc3 checkpoint
    pclose(p);
    void *m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#pragma pc3 checkpoint
    munmap(m, 4096);
    wchar_t *text;
    size_t n;
    FILE *f = open_wmemstream(&text, &n);
#pragma pc3 checkpoint
    fclose(f), free(text);
    setlocale(LC_ALL, "C");
    locale_t l = newlocale(LC_ALL_MASK, "C", NULL);
#pragma pc3 checkpoint
    freelocale(l);
    f = fopen("/proc/self/stat", "r");
#pragma pc3 checkpoint
    fclose(f);
    f = fopen("part", "w+");
    lockf(fileno(f), F_LOCK, 10);
#pragma pc3 checkpoint
    fputs("abcdefgh", f);
    f = freopen("part", "r", f);
    fgetwc(f);
    lseek(fileno(f), 3, SEEK_SET);
#pragma pc3 checkpoint
    fclose(f);
    int id = shmget(IPC_PRIVATE, 100, IPC_CREAT | 0600);
    m = shmat(id, NULL, 0);
#pragma pc3 checkpoint
    shmdt(m);
    shmctl(id, IPC_RMID, NULL);
    pthread_t t;
    if (pipe(ends) || pthread_create(&t, NULL, waits, NULL))
        abort();
#pragma pc3 checkpoint
    if (write(ends[1], "x", 1) != 1)
        abort();
    pthread_join(t, NULL);
#pragma pc3 checkpoint
    close(ends[0]);
    close(ends[1]);
    timer_t timer;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_NONE;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
#pragma pc3 checkpoint
    timer_delete(timer);
    setpwent();
    if (!getpwent())
        abort();
#pragma pc3 checkpoint
    endpwent();
#pragma pc3 checkpoint
    f = fopen("first", "w"), remove("second");
    if (link("first", "second") || remove("first"))
        abort();
#pragma pc3 checkpoint
    fclose(f);
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
#pragma pc3 checkpoint
    puts("end");
    return 0;
}
