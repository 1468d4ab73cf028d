/* pc3-test: seq */
/* Comes by a location again and again until there is a file `go`. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    puts("begun");
    fflush(stdout);
    while (access("go", F_OK)) {
#pragma pc3 checkpoint
        usleep(1000);
    }
    puts("end");
    return 0;
}
