/* pc3-test: seq abi=wide */
/* Limits, priority and the stack for signals. */
#define _GNU_SOURCE
#include "check.h"
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static char room[1 << 16];
static volatile sig_atomic_t inside;

static void handler(int signal)
{
    char here;
    inside += signal == SIGHUP && &here >= room && &here < room + sizeof room ? 1 : 100;
}

int main(void)
{
    struct rlimit limit;
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room}, now;
    struct sigaction action;
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &limit);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 1000000000;
    setrlimit(RLIMIT_FSIZE, &limit);
    int before = getpriority(PRIO_PROCESS, 0), done = nice(1);
#pragma pc3 checkpoint
    getrlimit(RLIMIT_CORE, &limit);
    show("core", limit.rlim_cur == 0);
    getrlimit(RLIMIT_FSIZE, &limit);
    show("size", limit.rlim_cur == 1000000000);
    show("nice", done == -1 || getpriority(PRIO_PROCESS, 0) == before + 1 || before == 19);
    sigaltstack(&stack, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGHUP, &action, NULL);
#pragma pc3 checkpoint
    raise(SIGHUP);
    sigaltstack(NULL, &now);
    show("stack", now.ss_sp == room && now.ss_size == sizeof room);
    show("inside", inside);
#pragma pc3 checkpoint
    raise(SIGHUP);
    show("inside", inside);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
#pragma pc3 checkpoint
    sigaltstack(NULL, &now);
    show("off", now.ss_flags == SS_DISABLE);
    return finish();
}
