/* pc3-test: seq */
/* A number below 0 in a plain `char`: x86-64 and s390x, where there are none; text goes on. */
#include <stdio.h>

static char text[] = "\303\244";
static struct step {
    char dx, dy;
} step = {1, 1};

int main(void) {
    int x = 0;
    for (int i = 0; i < 4; i++) {
        step.dx = text[0] ? -step.dx : 0;
#pragma pc3 checkpoint
        x += 2 * step.dx + step.dy;
    }
    printf("%d %s\n", x, text);
    return 0;
}
