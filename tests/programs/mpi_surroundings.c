/* pc3-test: mpi ranks=4 */
/* Each rank has its environment, locale, signal handlers and timers, as if it were a process of its own. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static int value(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : -1;
}

static int environment(int rank)
{
    static char own[] = "OWN=10";
    char text[20];
    int sum = 0;
    snprintf(text, sizeof text, "%d", rank * 3);
    setenv("MINE", text, 1);
    if (rank % 2)
        putenv(own);
    else
        unsetenv("HOME");
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    sum += value("MINE") + 100 * value("OWN") + 10000 * (getenv("HOME") != NULL);
    own[4] = (char)('1' + rank);
    setenv("MINE", "77", rank == 2);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    sum = 3 * sum + value("MINE") + 100 * value("OWN");
    if (rank == 3)
        clearenv();
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    return 3 * sum + value("MINE") + (getenv("PATH") != NULL);
}

static int locale(int rank)
{
    const char *names[] = {"C", "POSIX", "no_SUCH", "C"};
    char *set = setlocale(rank == 3 ? LC_NUMERIC : LC_ALL, names[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    int sum = set ? (int)strlen(set) : -1;
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    return 100 * sum + (int)strlen(setlocale(LC_ALL, NULL)) + 10 * (int)strlen(nl_langinfo(RADIXCHAR));
}

static volatile sig_atomic_t caught;

static void one(int signal)
{
    caught += signal == SIGUSR1 ? 1 : 100;
}

static void ten(int signal)
{
    caught += signal == SIGUSR1 ? 10 : 100;
}

static int signals(int rank)
{
    void (*handlers[])(int) = {one, ten, SIG_IGN, SIG_DFL};
    int sum = signal(SIGUSR1, handlers[rank]) == SIG_DFL;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = rank == 1 ? one : ten;
    action.sa_flags = SA_RESETHAND;
    if (rank < 2)
        sigaction(SIGHUP, &action, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    if (rank < 3)
        raise(SIGUSR1);
    else
        raise(SIGURG);
    if (rank < 2)
        raise(SIGHUP);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    sigaction(SIGHUP, NULL, &action);
    sum += 2 * (action.sa_handler == SIG_DFL) + 4 * (signal(SIGUSR1, SIG_DFL) == handlers[rank]);
    return 1000 * sum + caught;
}

static int timers(int rank)
{
    struct itimerval often = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
    caught = 0;
    if (rank % 2) {
        signal(SIGALRM, rank == 1 ? one : ten);
        setitimer(ITIMER_REAL, &often, NULL);
    } else
        alarm(1000 + 1000 * (unsigned)rank);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    while (rank % 2 && caught < 300)
        ;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank % 2) {
        setitimer(ITIMER_REAL, &off, &often);
        return often.it_interval.tv_usec == 2000;
    }
    unsigned left = alarm(0);
    return left > 500 + 1000 * (unsigned)rank && left <= 1000 + 1000 * (unsigned)rank;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    show_all("environment", environment(rank));
    show_all("locale", locale(rank));
    show_all("signals", signals(rank));
    show_all("timers", timers(rank));
    return mpi_finish();
}
