/* pc3-test: seq */
/* What the system has for a program and no checkpoint can hold: none is taken until it is gone. */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int caught, carried;

static void on(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    caught++;
    carried += info->si_value.sival_int;
}

static pid_t started_apart(void)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(4);
    return child;
}

static void children(void)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(42);
#pragma pc3 checkpoint
    waitpid(child, &status, 0);
    printf("fork %d\n", WEXITSTATUS(status));
    char *const words[] = {"sh", "-c", "exit 3", NULL};
    if (posix_spawnp(&child, "sh", NULL, NULL, words, environ))
        abort();
#pragma pc3 checkpoint
    waitpid(child, &status, 0);
    printf("posix_spawnp %d\n", WEXITSTATUS(status));
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ))
        abort();
#pragma pc3 checkpoint
    waitpid(child, &status, 0);
    child = started_apart();
#pragma pc3 checkpoint
    printf("vfork %d\n", waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4);
    printf("system %d\n", WEXITSTATUS(system("exit 5")));
}

static void signals(void)
{
    struct sigaction action;
    sigset_t both;
    union sigval value;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&both);
    sigaddset(&both, SIGRTMIN);
    sigaddset(&both, SIGHUP);
    sigaction(SIGRTMIN, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigprocmask(SIG_BLOCK, &both, NULL);
    for (value.sival_int = 1; value.sival_int < 4; value.sival_int++)
        sigqueue(getpid(), SIGRTMIN, value);
#pragma pc3 checkpoint
    sigprocmask(SIG_UNBLOCK, &both, NULL);
    printf("%d times %d\n", caught, carried);
    sigprocmask(SIG_BLOCK, &both, NULL);
    value.sival_int = 30;
    sigqueue(getpid(), SIGHUP, value);
#pragma pc3 checkpoint
    sigprocmask(SIG_UNBLOCK, &both, NULL);
    printf("%d times %d\n", caught, carried);
}

static void operations(int file)
{
    char text[8] = "";
    struct aiocb request;
    memset(&request, 0, sizeof request);
    request.aio_fildes = file;
    request.aio_buf = "asynchronous";
    request.aio_nbytes = 7;
    const struct aiocb *const list[] = {&request};
    aio_write(&request);
#pragma pc3 checkpoint
    while (aio_suspend(list, 1, NULL))
        ;
    printf("wrote %d\n", (int)aio_return(&request));
    request.aio_buf = text;
    aio_read(&request);
#pragma pc3 checkpoint
    while (aio_suspend(list, 1, NULL))
        ;
    printf("read %d %.7s\n", (int)aio_return(&request), text);
}

int main(void)
{
    int file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    children();
    signals();
    operations(file);
    struct passwd one, *found;
    char names[1000];
    setpwent();
    getpwent_r(&one, names, sizeof names, &found);
#pragma pc3 checkpoint
    endpwent();
    int unknown = (int)syscall(SYS_openat, AT_FDCWD, "file", O_RDONLY);
#pragma pc3 checkpoint
    close(unknown);
    close(file);
    FILE *before = stdout;
    puts("all");
#pragma pc3 checkpoint
    return stdout != before;
}
