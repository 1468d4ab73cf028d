/* pc3-test: seq */
/* Reads lines and prints them; a location before anything is read or printed. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char line[100];
    int n = 0;
#pragma pc3 checkpoint
    while (fgets(line, sizeof line, stdin)) {
        printf("%d %s", ++n, line);
        fflush(stdout);
#pragma pc3 checkpoint
    }
    printf("end\n");
    return 0;
}
