/* pc3-test: seq flags=-O1,-D_FORTIFY_SOURCE=2 */
/* Functions that the C library's headers define themselves where arguments are to be checked: what they open goes on. */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

static int flags(int i)
{
    return i == 0 ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY;
}

int main(void)
{
    int written = open("data", flags(0), 0600);
    for (char c = 'a'; c < 'a' + 20; c++)
        show("written", write(written, &c, 1));
    int fds[] = {
        open("data", flags(1)),
        openat(AT_FDCWD, "data", flags(2)),
        open("data", O_RDONLY),
        openat(AT_FDCWD, "data", O_RDONLY),
    };
    char *told = NULL;
    for (int i = 0; i < 4; i++) {
#pragma pc3 checkpoint
        char got[5] = "";
        for (int k = 0; k < 4; k++)
            show("read", read(fds[k], got + k, 1));
        show("first", got[0]);
        char *more;
        if (asprintf(&more, "%s%s;", told ? told : "", got) < 0)
            return 1;
        free(told);
        told = more;
    }
    puts(told);
    return finish();
}
