/* pc3-test: seq */
/* Tasks on stacks of a signal handler that has returned, which fill their buffers again and again: C does not define this, and
 * each jump leads where its buffer was filled, or nowhere. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf program, tasks[2];
static volatile sig_atomic_t number;
static int sums[2];

static void work(int n)
{
    for (int turn = 1;; turn++) {
#pragma pc3 checkpoint
        sums[n] += (n + 1) * turn;
        if (setjmp(tasks[n]) == 0)
            longjmp(program, 1);
    }
}

static void begin(int signal)
{
    (void)signal;
    int n = number;
    if (setjmp(tasks[n]) == 0)
        return;
    work(n);
}

static void make(int n)
{
    stack_t own = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = begin, .sa_flags = SA_ONSTACK};
    sigaltstack(&own, NULL);
    sigaction(SIGUSR1, &action, NULL);
    number = n;
    raise(SIGUSR1);
    sigaltstack(&none, NULL);
}

int main(void)
{
    make(0);
    make(1);
    for (int turn = 0; turn < 6; turn++) {
        if (setjmp(program) == 0)
            longjmp(tasks[turn % 2], 1);
#pragma pc3 checkpoint
        printf("%d %d\n", sums[0], sums[1]);
    }
    return 0;
}
