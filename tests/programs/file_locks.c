/* pc3-test: seq */
/* Locks on files are held across a restart. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

/* Can another process have it? */
static int locked(const char *path, int whole, int kind)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        int fd = open(path, O_RDWR);
        struct flock lock;
        memset(&lock, 0, sizeof lock);
        lock.l_type = (short)kind;
        lock.l_whence = SEEK_SET;
        int failed = whole ? flock(fd, LOCK_NB | (kind == F_RDLCK ? LOCK_SH : LOCK_EX)) : fcntl(fd, F_SETLK, &lock);
        _exit(failed != 0);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    int a = open("a", O_RDWR | O_CREAT, 0644), b = open("b", O_RDWR | O_CREAT, 0644);
    int c = open("c", O_RDWR | O_CREAT, 0644);
    FILE *d = fopen("d", "w");
    flock(a, LOCK_EX);
    flock(c, LOCK_SH);
    lockf(b, F_TLOCK, 0);
    lockf(fileno(d), F_LOCK, 0);
    for (int i = 0; i < 3; i++) {
        show("a", locked("a", 1, F_WRLCK));
        show("b", locked("b", 0, F_WRLCK));
        show("c", locked("c", 1, F_WRLCK) * 10 + locked("c", 1, F_RDLCK));
        show("d", locked("d", 0, F_WRLCK));
        fprintf(d, "round %d\n", i);
#pragma pc3 checkpoint
    }
    flock(a, LOCK_UN);
    lockf(b, F_ULOCK, 0);
#pragma pc3 checkpoint
    show("a", locked("a", 1, F_WRLCK));
    show("b", locked("b", 0, F_WRLCK));
    show("d", locked("d", 0, F_WRLCK));
    return finish();
}
