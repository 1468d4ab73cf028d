/* pc3-test: seq */
/* Values that a jump out of the very call which would have replaced them leaves as they were. */
#include <setjmp.h>
#include "check.h"

static jmp_buf back;

static int depth(int n)
{
    if (n == 0)
        longjmp(back, 7);
#pragma pc3 checkpoint
    return depth(n - 1) + 1;
}

static int plain(void)
{
    int rc = -1;
    if (setjmp(back) == 0)
        rc = depth(2);
    return rc;
}

static int within(void)
{
    int rc = -2;
    if (!setjmp(back)) {
        rc = depth(2) * 2;
    }
    return rc;
}

static int chosen(void)
{
    int rc = -3;
    switch (setjmp(back)) {
    case 0:
        rc = depth(1);
        break;
    case 7:
        rc--;
    }
    return rc;
}

static int kept(void)
{
    volatile int rc = -4;
    volatile int k;
    if ((k = setjmp(back)) == 0) {
        rc = 9;
        rc = depth(1);
        rc = 10;
    }
    return rc + k;
}

static int whole(void)
{
    struct pair {
        int a, b;
    } s = {-6, 1}, t = {6, 2};
    const char *text = "five";
    if (!setjmp(back)) {
        depth(1);
        s = t;
        text = "bad";
    }
    return s.a * 1000 + text[0];
}

/* Once more from within what comes behind the first return. */
static int twice(void)
{
    volatile int tries = 0;
    int sum = 100;
    if (setjmp(back) != 0)
        tries++;
    if (tries < 2)
        sum = depth(tries + 1);
    return sum + tries;
}

int main(void)
{
    show("plain", plain());
    show("within", within());
    show("chosen", chosen());
    show("kept", kept());
    show("whole", whole());
    show("twice", twice());
    return finish();
}
