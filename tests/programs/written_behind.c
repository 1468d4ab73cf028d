/* pc3-test: seq */
/* What a program does while its last checkpoint is being written: changes all that was saved, opens files and says
 * whether their numbers follow each other, and has children. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

enum { CELLS = 200000, STEPS = 8, OPEN = 4 };

static int child_of(int step)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        char *text = malloc(64);
        snprintf(text, 64, "%d", step);
        _exit(text ? atoi(text) + 1 : 0);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    unsigned *cells = malloc(CELLS * sizeof *cells);
    for (int i = 0; i < CELLS; i++)
        cells[i] = i;
    for (int step = 0; step < STEPS; step++) {
        unsigned sum = 0;
        int numbers[OPEN];
#pragma pc3 checkpoint
        for (int i = 0; i < OPEN; i++)
            numbers[i] = open("/dev/null", O_RDONLY);
        for (int i = 0; i < CELLS; i++) {
            sum = sum * 31 + cells[i];
            cells[i] += step + 1;
        }
        show("sum", sum);
        for (int i = 1; i < OPEN; i++)
            show("behind the one before", numbers[i] - numbers[i - 1]);
        for (int i = 0; i < OPEN; i++)
            close(numbers[i]);
        if (step % 3 == 1)
            show("a child says", child_of(step));
    }
    free(cells);
    return finish();
}
