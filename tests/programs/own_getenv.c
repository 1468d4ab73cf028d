/* pc3-test: seq */
/* A getenv of the program's own, which knows other variables than the system's. */
#include "check.h"

char *getenv(const char *name)
{
    static char answer[40];
    snprintf(answer, sizeof answer, "<%.30s>", name);
    return answer;
}

int main(void)
{
    int i;
    for (i = 0; i < 4; i++) {
#pragma pc3 checkpoint
        show_text("variable", getenv(i % 2 ? "HOME" : "PC3_EVERY"));
    }
    return finish();
}
