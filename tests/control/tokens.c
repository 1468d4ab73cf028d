/* pc3-test: seq */
/* A buffer whose function has returned leads nowhere, although others have been filled since: C says that this is undefined. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf stale;

static void fills(void)
{
    if (setjmp(stale))
        puts("not here");
#pragma pc3 checkpoint
}

static int uses(int turn)
{
    jmp_buf own;
    int back = setjmp(own);
    if (back)
        return back;
#pragma pc3 checkpoint
    longjmp(turn ? stale : own, 7);
}

int main(void)
{
    fills();
    printf("first %d\n", uses(0));
    fflush(stdout);
    printf("second %d\n", uses(1));
    return 0;
}
