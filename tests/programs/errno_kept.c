/* pc3-test: seq */
/* A pointer to errno, as shells keep one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int *kept;

static int tried(const char *text)
{
    *kept = 0;
    int n = (int)(strtol(text, 0, 10) % 1000);
#pragma pc3 checkpoint
    return *kept ? -1 : n;
}

int main(void)
{
    static const char *const texts[] = {"17", "99999999999999999999", "-5"};
    int *place = &errno;
    kept = place;
    for (int i = 0; i < 3; i++) {
        printf("%d", tried(texts[i]));
        printf(" %d %d\n", errno == ERANGE, place == &errno);
    }
    return 0;
}
