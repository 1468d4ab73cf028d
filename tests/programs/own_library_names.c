/* pc3-test: seq */
/* Functions of the program's own with names that a static C library has beside variables which the runtime looks at. */
#include <stdio.h>

static int sum;

int _obstack_newchunk(int n)
{
    sum += n;
#pragma pc3 checkpoint
    return sum;
}

void error(int status, int number, const char *text)
{
    printf("%s: %d, %d\n", text, status, number);
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        error(i, _obstack_newchunk(i), "sum");
    return 0;
}
