/* pc3-test: seq */
// run: PC3_EVERY=1x
/* The location is reached below a function of the C library, which pc3cc cannot see. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

static int passed;

static void handler(int sig) {
    (void)sig;
#pragma pc3 checkpoint
    passed++;
}

int main(void) {
    struct sigaction a = {0};
    a.sa_handler = handler;
    sigaction(SIGUSR1, &a, 0);
    kill(getpid(), SIGUSR1);
#pragma pc3 checkpoint
    return !passed;
}
