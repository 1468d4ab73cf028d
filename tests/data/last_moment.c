/* pc3-test: seq */
/* Killed behind all that the runtime does at the end: by a function that was registered before the program began, so that it is
 * called last, when the C library has yet to write what streams hold back. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

extern int __cxa_atexit(void (*)(void *), void *, void *);

static void die(void *context)
{
    kill(getpid(), SIGKILL);
}

static void before(void)
{
    __cxa_atexit(die, 0, 0);
}

static void (*const first[])(void) __attribute__((section(".init_array"), used)) = {before};

int main(void)
{
    for (int i = 0; i < 100; i++) {
        printf("%d\n", i);
#pragma pc3 checkpoint
    }
    return 0;
}
