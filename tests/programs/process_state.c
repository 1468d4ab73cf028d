/* pc3-test: seq */
/* What a program changes of its process: working directory, file mode mask, environment, locale, signals,
 * timers, functions for the end. */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t caught, last;
static char own[] = "PUT_BY_ME=first";

static void handler(int signal)
{
    caught++;
    last = signal;
}

static void informed(int signal, siginfo_t *info, void *context)
{
    (void)context;
    caught += info->si_signo == signal ? 10 : 1000;
    last = signal;
}

static void goodbye(void)
{
    printf("goodbye, caught %d\n", (int)caught);
}

static void status(int code, void *text)
{
    printf("status %d, %s\n", code, (char *)text);
}

static void once(void)
{
    printf("registered later\n");
}

static void signals(void)
{
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGHUP, &action, NULL);
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    action.sa_sigaction = informed;
    sigaction(SIGURG, &action, NULL);
    signal(SIGINT, SIG_IGN);
#pragma pc3 checkpoint
    raise(SIGHUP);
    raise(SIGINT);
#pragma pc3 checkpoint
    raise(SIGURG);
    show("caught", caught), show("last", last);
#pragma pc3 checkpoint
    sigaction(SIGURG, NULL, &old);
    show("reset", old.sa_handler == SIG_DFL);
    sigaction(SIGHUP, NULL, &old);
    show("mask", sigismember(&old.sa_mask, SIGUSR2) + 10 * sigismember(&old.sa_mask, SIGINT));
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
#pragma pc3 checkpoint
    sigprocmask(SIG_BLOCK, NULL, &set);
    show("blocked", sigismember(&set, SIGHUP));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
#pragma pc3 checkpoint
    sigprocmask(SIG_BLOCK, NULL, &set);
    show("blocked", sigismember(&set, SIGHUP));
}

/* The signals by which checkpoints are asked for are the program's like any others. */
static void waiting(void)
{
    struct sigaction old;
    sigset_t set, now;
    show("first", signal(SIGUSR1, handler) == SIG_DFL);
    sigaction(SIGUSR2, NULL, &old);
    show("untouched", old.sa_handler == SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    caught = 0;
#pragma pc3 checkpoint
    sigpending(&now);
    show("waits", sigismember(&now, SIGUSR1) + 10 * caught);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    show("came", caught);
    show("mine", signal(SIGUSR1, SIG_DFL) == handler);
#pragma pc3 checkpoint
    show("again", signal(SIGUSR1, SIG_DFL) == SIG_DFL);
}

static void timers(void)
{
    signal(SIGALRM, handler);
    alarm(3000);
#pragma pc3 checkpoint
    unsigned left = alarm(0);
    show("alarm", left > 2000 && left <= 3000);
    struct itimerval timer = {{0, 1000}, {0, 1000}}, now;
    caught = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
#pragma pc3 checkpoint
    while (caught < 3)
        pause();
    getitimer(ITIMER_REAL, &now);
    show("interval", now.it_interval.tv_usec);
    /* The timer stands still until its signal has been taken. */
    sigset_t only, before;
    sigemptyset(&only);
    sigaddset(&only, SIGALRM);
    sigprocmask(SIG_BLOCK, &only, &before);
    usleep(5000);
    caught = 0;
#pragma pc3 checkpoint
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (caught < 3)
        pause();
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    caught = 0;
#pragma pc3 checkpoint
    getitimer(ITIMER_REAL, &now);
    show("off", now.it_value.tv_sec + now.it_value.tv_usec);
}

static void environment(void)
{
    setenv("CHANGED", "1", 1);
    setenv("REMOVED", "2", 1);
    putenv(own);
    const char *changed = getenv("CHANGED"), *path = getenv("PATH"), *tail = path ? path + strlen(path) : "";
    char *copy = strdup(path ? path : "");
#pragma pc3 checkpoint
    unsetenv("REMOVED");
    own[10] = 'F';
    show_text("changed", changed);
    show("path", path && !strcmp(copy, path) && !*tail);
#pragma pc3 checkpoint
    show_text("own", getenv("PUT_BY_ME"));
    own[10] = 'X';
    show_text("own", getenv("PUT_BY_ME"));
    show("removed", getenv("REMOVED") != NULL);
    setenv("CHANGED", "longer than before", 1);
#pragma pc3 checkpoint
    show_text("changed", getenv("CHANGED"));
    unsetenv("CHANGED");
    unsetenv("HOME");
#pragma pc3 checkpoint
    show("gone", !getenv("CHANGED") + 2 * !getenv("HOME"));
    clearenv();
    setenv("ONLY", "me", 1);
#pragma pc3 checkpoint
    for (char **e = environ; *e; e++)
        show_text("left", *e);
}

static void calendar(void)
{
    setenv("TZ", "XYZ-3:30", 1);
    tzset();
#pragma pc3 checkpoint
    show("zone", timezone);
    show_text("name", tzname[0]);
    time_t when = 1000000000;
    struct tm *date = localtime(&when);
    char *text = ctime(&when);
#pragma pc3 checkpoint
    show("hour", date->tm_hour * 100 + date->tm_min);
    show_text("time", text);
}

static void files(void)
{
    struct stat about;
    umask(027);
    mkdir("place", 0777);
    if (chdir("place"))
        abort();
#pragma pc3 checkpoint
    FILE *f = fopen("made", "w");
    fclose(f);
    stat("../place/made", &about);
    show("mode", about.st_mode & 0777);
    errno = ERANGE;
#pragma pc3 checkpoint
    show("errno", errno);
    setlocale(LC_ALL, "POSIX");
#pragma pc3 checkpoint
    show_text("locale", setlocale(LC_NUMERIC, NULL));
}

int main(void)
{
    static char text[] = "the end";
    on_exit(status, text);
    atexit(goodbye);
    signals();
    waiting();
    timers();
    environment();
    calendar();
    files();
    atexit(once);
#pragma pc3 checkpoint
    text[0] = 'T';
    finish();
    exit(3);
}
