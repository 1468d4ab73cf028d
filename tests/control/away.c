/* pc3-test: seq */
/* Comes to no location before there is a file `go`. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    while (access("go", F_OK))
        usleep(1000);
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        usleep(1000);
    }
    puts("end");
    return 0;
}
