/* pc3-test: seq */
/* What getenv has returned stays when the environment changes; a string that was given to putenv is the environment's own. */
#define _GNU_SOURCE
#include "check.h"

static char own[] = "KEPT_OWN=zero";
static char *values[5], *given, *texts[8];

int main(void)
{
    for (int i = 0; i < 5; i++) {
        char text[32];
        snprintf(text, sizeof text, "the value number %d", i);
        setenv("KEPT_A", text, 1);
        values[i] = getenv("KEPT_A");
        texts[i] = strdup("something else here");
#pragma pc3 checkpoint
        for (int k = 0; k <= i; k++)
            show_text("value", values[k]);
        show("same", values[i] == getenv("KEPT_A"));
    }
    putenv(own);
    given = getenv("KEPT_OWN");
    for (int i = 0; i < 3; i++) {
        own[9] = (char)('A' + i);
#pragma pc3 checkpoint
        show_text("given", given);
        show_text("again", getenv("KEPT_OWN"));
        show("within", (int)(given - own));
    }
    unsetenv("KEPT_A");
    unsetenv("KEPT_OWN");
#pragma pc3 checkpoint
    show("none", !getenv("KEPT_A") + !getenv("KEPT_OWN"));
    show_text("value", values[2]);
    show_text("given", given);
    return finish();
}
