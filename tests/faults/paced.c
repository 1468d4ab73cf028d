/* pc3-test: seq */
/* Comes to its next location when a file appears. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char name[20];
#pragma pc3 checkpoint
    for (int i = 1; i <= 3; i++) {
        snprintf(name, sizeof name, "go%d", i);
        while (access(name, F_OK))
            usleep(1000);
#pragma pc3 checkpoint
    }
    printf("end\n");
    return 0;
}
