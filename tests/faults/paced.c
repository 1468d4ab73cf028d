/* pc3-test: seq */
/* Comes to its next location when a file appears. */
#include <stdio.h>
#include <unistd.h>

static double still[20000];

int main(void)
{
    char name[20];
    for (int i = 0; i < 20000; i++)
        still[i] = 1. / (i + 1);
#pragma pc3 checkpoint
    for (int i = 1; i <= 3; i++) {
        snprintf(name, sizeof name, "go%d", i);
        while (access(name, F_OK))
            usleep(1000);
#pragma pc3 checkpoint
    }
    printf("end %g\n", still[19999]);
    return 0;
}
