/* pc3-test: seq */
/* A number in characters, copied there one by one: x86-64 and s390x. */
#include <stdio.h>

static unsigned char record[8];

static void copy(void *to, const void *from, unsigned n)
{
    char *t = to;
    const char *f = from;
    while (n--)
        *t++ = *f++;
}

int main(void) {
    int n = 258;
    copy(record + 2, &n, sizeof n);
#pragma pc3 checkpoint
    n = 0;
    copy(&n, record + 2, sizeof n);
    printf("%d\n", n);
    return 0;
}
