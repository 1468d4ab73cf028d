/* pc3-test: seq */
/* Ten rounds, in each of which numbers in a file are read, changed and written back where they were; with DIE=n the
 * program kills itself at the end of round n. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    FILE *f = fopen("numbers", "w+");
    int fd = open("other", O_RDWR | O_CREAT, 0644), n = 5;
    if (!f || fd < 0 || write(fd, &n, sizeof n) != sizeof n)
        return 1;
    for (int i = 0; i < 1000; i++)
        fprintf(f, "%06d\n", i);
    for (int round = 1; round <= 10; round++) {
#pragma pc3 checkpoint
        for (int i = round; i < 1000; i += 100) {
            fseek(f, 7 * i, SEEK_SET);
            if (fscanf(f, "%d", &n) != 1)
                return 1;
            fseek(f, 7 * i, SEEK_SET);
            fprintf(f, "%06d", n + round * i);
            fseek(f, 7 * ((i + 101) % 1000), SEEK_SET);
            fprintf(f, "%06d", n);
        }
        if (pread(fd, &n, sizeof n, 0) != sizeof n)
            return 1;
        n = 3 * n + round;
        if (pwrite(fd, &n, sizeof n, 0) != sizeof n)
            return 1;
        fflush(f);
        const char *die = getenv("DIE");
        if (die && atoi(die) == round)
            raise(SIGKILL);
    }
    rewind(f);
    while (fscanf(f, "%d", &n) == 1)
        printf("%d\n", n);
    if (pread(fd, &n, sizeof n, 0) == sizeof n)
        printf("%d\n", n);
    return fclose(f);
}
