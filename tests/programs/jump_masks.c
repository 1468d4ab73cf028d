/* pc3-test: seq */
/* The blocked signals that sigsetjmp keeps and siglongjmp brings back, or does not. */
#define _GNU_SOURCE
#include "check.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back, other, copy;
static volatile int came;

static void on(int signal)
{
    came = signal;
    siglongjmp(back, 1);
}

static void blocked(const char *where)
{
    sigset_t now;
    int n = 0;
    sigprocmask(SIG_BLOCK, NULL, &now);
    for (int s = 1; s < 32; s++)
        n += sigismember(&now, s) ? s : 0;
    show(where, n);
}

static void block(int how, int signal)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    sigprocmask(how, &one, NULL);
}

static void inner(int again)
{
    block(SIG_BLOCK, SIGURG);
#pragma pc3 checkpoint
    if (again)
        siglongjmp(other, again);
    memcpy(&copy, &other, sizeof copy);
    siglongjmp(copy, 9);
}

int main(void)
{
    signal(SIGALRM, on);
    for (volatile int turn = 0; turn < 3; turn++) {
        if (sigsetjmp(back, 1) == 0) {
#pragma pc3 checkpoint
            raise(SIGALRM);
        }
        blocked("out of the handler");
    }
    /* With none kept, what is blocked stays so. */
    if (sigsetjmp(back, 0) == 0) {
#pragma pc3 checkpoint
        raise(SIGALRM);
    }
    blocked("kept nothing");
    block(SIG_UNBLOCK, SIGALRM);
    block(SIG_BLOCK, SIGHUP);
    volatile int what;
    what = sigsetjmp(other, 1);
    blocked("back");
    show("what", what);
    if (what < 2) {
#pragma pc3 checkpoint
        inner(what ? 0 : 1);
    }
    what = sigsetjmp(other, 0);
    if (what < 2) {
#pragma pc3 checkpoint
        inner(what ? 0 : 1);
    }
    blocked("at the end");
    show("came", came);
    return finish();
}
