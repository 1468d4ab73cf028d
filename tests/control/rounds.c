/* pc3-test: seq */
/* Ten rounds, each a line of output and one appended to the file `log`; with DIE=n the program kills itself
 * in round n, with EARLY set it is sent SIGUSR1 before main, with WAIT set it waits in round 5 for a
 * signal. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void early(void)
{
    if (getenv("EARLY"))
        raise(SIGUSR1);
}

int main(void)
{
    FILE *log = fopen("log", "a");
    if (!log)
        return 1;
    sigset_t usr1, old;
    sigemptyset(&usr1);
    sigemptyset(&old);
    sigaddset(&usr1, SIGUSR1);
    if (getenv("WAIT"))
        sigprocmask(SIG_BLOCK, &usr1, &old);
    for (int round = 1; round <= 10; round++) {
#pragma pc3 checkpoint
        printf("round %d\n", round);
        fprintf(log, "entry %d\n", round);
        fflush(stdout);
        fflush(log);
        if (round == 5 && getenv("WAIT"))
            sigsuspend(&old);
        const char *die = getenv("DIE");
        if (die && atoi(die) == round)
            raise(SIGKILL);
    }
    return fclose(log);
}
