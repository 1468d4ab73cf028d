/* pc3-test: seq */
/* A program that starts others, itself at last: the settings of its job are no concern of theirs. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char settings[] = "env | grep -c -E '^PC3_(DIR|EVERY|KEEP|RESTART|STOP_AFTER)='";

int main(int argc, char **argv, char **envp)
{
    char text[20], next[] = {(char)('1' + (argc > 1 ? *argv[1] - '0' : 0)), 0};
    int own = 0, status;
    pid_t child;
#pragma pc3 checkpoint
    printf("stage %s\n", next);
    for (char **e = envp; *e; e++)
        own += !strncmp(*e, "PC3_EVERY", 9);
    printf("own %d %d\n", own, getenv("PC3_EVERY") || getenv("PC3_RESTART"));
    fflush(stdout);
    system(settings);
    FILE *pipe = popen(settings, "r");
    if (!fgets(text, sizeof text, pipe))
        return 1;
    pclose(pipe);
    printf("popen %s", text);
    fflush(stdout);
    char *const words[] = {"sh", "-c", (char *)settings, NULL};
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ))
        return 1;
    waitpid(child, &status, 0);
    child = fork();
    if (child == 0) {
        execlp("sh", "sh", "-c", settings, (char *)NULL);
        _exit(9);
    }
    waitpid(child, &status, 0);
    if (*next < '3')
        execl("/proc/self/exe", argv[0], next, (char *)NULL);
    return 0;
}
