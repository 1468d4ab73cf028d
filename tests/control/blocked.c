/* pc3-test: seq */
/* Is asked to stop while a pipe is open, and goes on for as long as it must once that is closed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    int ends[2];

    if (pipe(ends))
        return 1;
    raise(SIGUSR2);
    for (int i = 0; i < 5; i++) {
#pragma pc3 checkpoint
        usleep(1000);
    }
    close(ends[0]), close(ends[1]);
    printf("closed\n");
    for (int i = 0; i < 100000; i++) {
#pragma pc3 checkpoint
        if (getenv("AGAIN"))
            break;
        usleep(1000);
    }
    printf("end\n");
    return 0;
}
