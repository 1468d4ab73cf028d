/* pc3-test: seq */
/* A coroutine on the stack of a signal handler that has returned (C does not define this): locations there are passed by, and those
 * outside of it are not. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf program, task;
static volatile sig_atomic_t made;
static int turns;

static void to(jmp_buf *from, jmp_buf *where)
{
    if (!_setjmp(*from))
        _longjmp(*where, 1);
}

static void work(void)
{
#pragma pc3 checkpoint
    turns++;
}

static void body(int signal)
{
    (void)signal;
    if (!_setjmp(task)) {
        made = 1;
        return;
    }
    for (;;) {
        work();
        to(&task, &program);
    }
}

static void make(void)
{
    stack_t own = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = body, .sa_flags = SA_ONSTACK};
    sigaltstack(&own, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaltstack(&none, NULL);
}

int main(void)
{
    make();
    for (int i = 0; i < 3; i++) {
        to(&program, &task);
        printf("turn %d\n", turns);
#pragma pc3 checkpoint
    }
    return !made;
}
