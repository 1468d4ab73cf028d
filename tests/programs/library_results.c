/* pc3-test: seq */
/* Results that live in the C library's memory, needed after a location. */
#define _GNU_SOURCE
#include <errno.h>
#include <pc3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    const char *path, *missing, *trouble;
};

static struct settings settings;

int main(void)
{
    char *name = tmpnam(0), *first = getenv("PATH"), *same = secure_getenv("PATH");
    const char *sig = strsignal(SIGTERM);
    settings.path = first;
    settings.missing = getenv("A_NAME_THAT_IS_NOT_SET");
    settings.trouble = strerror(ENOENT);
    for (int i = 0; i < 4; i++) {
        pc3_checkpoint();
        printf("%d %d %d %s %s\n", i, strlen(settings.path) > 0, settings.missing == 0, settings.trouble, sig);
        if (first != getenv("PATH") || same != first || strncmp(name, "/tmp/", 5))
            printf("another place\n");
    }
    return 0;
}
