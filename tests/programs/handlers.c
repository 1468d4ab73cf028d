/* pc3-test: seq */
/* Handlers of signals and functions for the end that come to locations: none takes a checkpoint there, what they interrupt
 * keeps its locals, and jumps out of them leave all as it was. */
#define _GNU_SOURCE
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t caught, deep;
static sigjmp_buf far_away;
static jmp_buf from_plain;
static int *kept;
static char stack[1 << 16];

static void keep(int *p)
{
    kept = p;
}

/* Reaches a location, has locals on the shadow stack, and a frame of its own size at each depth. */
static int work(int n)
{
    int here[40], sum = 0;
    keep(here);
    for (int i = 0; i < 40; i++)
        here[i] = n * i;
#pragma pc3 checkpoint
    if (n > 0)
        sum = work(n - 1);
    for (int i = 0; i < 40; i++)
        sum += here[i] != n * i;
    return sum;
}

static void handler(int signal)
{
    caught += 1 + work(signal % 7);
}

/* A location in the handler's own frame, and another handler within it. */
static void nesting(int signal)
{
    int before = caught, mine[3] = {signal, 2, 3};
    keep(mine);
#pragma pc3 checkpoint
    raise(SIGUSR1);
#pragma pc3 checkpoint
    deep += caught - before + (mine[0] == signal) + mine[2];
}

static void jumping(int signal)
{
    int mine = signal + work(3);
    keep(&mine);
    siglongjmp(far_away, mine);
}

static void jumping_out(int signal)
{
    int mine = signal + work(2);
    keep(&mine);
    longjmp(from_plain, mine);
}

static int around(int signal)
{
    int mine[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0;
    keep(mine);
    raise(signal);
    memset(stack, 0, sizeof stack);
#pragma pc3 checkpoint
    for (int i = 0; i < 8; i++)
        sum = 10 * sum + mine[i];
    return sum;
}

static int jumped_to(int signal)
{
    int mine[8] = {8, 7, 6, 5, 4, 3, 2, 1}, sum = 0;
    keep(mine);
    int value = sigsetjmp(far_away, 1);
    if (!value)
        raise(signal);
    memset(stack, 0, sizeof stack);
#pragma pc3 checkpoint
    for (int i = 0; i < 8; i++)
        sum = 10 * sum + mine[i];
    return sum + value;
}

/* Reaches no location, but for the handler. */
static int without_locations(int signal)
{
    int value = setjmp(from_plain);
    if (!value)
        raise(signal);
    return value;
}

static void at_end(void)
{
    show("at the end", work(4));
}

int main(void)
{
    stack_t other = {0};
    struct sigaction action = {0}, old;
    atexit(at_end);
    show("first", signal(SIGUSR1, handler) == SIG_DFL);
    show("again", signal(SIGUSR1, handler) == handler);
    show("around", around(SIGUSR1));
    show("caught", caught);
#pragma pc3 checkpoint
    signal(SIGHUP, nesting);
    show("around", around(SIGHUP));
    show("deep", deep);
    signal(SIGURG, jumping);
    for (int i = 0; i < 3; i++)
        show("jumped", jumped_to(SIGURG));
#pragma pc3 checkpoint
    action.sa_handler = jumping_out;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGUSR2, NULL, &old);
    show("mine", old.sa_handler == jumping_out);
    for (int i = 0; i < 40; i++) {
        show("plain jump", without_locations(SIGUSR2));
#pragma pc3 checkpoint
    }
    show("work", work(5));
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    sigaltstack(&other, NULL);
    action.sa_handler = jumping;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;
    sigaction(SIGURG, &action, NULL);
    show("on the other stack", jumped_to(SIGURG));
    action.sa_handler = nesting;
    sigaction(SIGHUP, &action, NULL);
    show("around", around(SIGHUP));
#pragma pc3 checkpoint
    sigaction(SIGHUP, NULL, &old);
    show("once", old.sa_handler == SIG_DFL);
    show("caught", caught);
    show("deep", deep);
    show("sysv", sysv_signal(SIGUSR1, handler) == handler);
    raise(SIGUSR1);
#pragma pc3 checkpoint
    show("gone", signal(SIGUSR1, SIG_DFL) == SIG_DFL);
    return finish();
}
