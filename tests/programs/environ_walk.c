/* pc3-test: seq */
/* Pointers into the environment: its array, what that leads to, also main's third parameter. */
#define _GNU_SOURCE
#include "check.h"
#include <unistd.h>

static char own[] = "WALK_OWN=first";
static char **kept, *text;
static struct {
    char **at;
    const char *name;
} places[3];

static int is_mine(const char *s)
{
    return !strncmp(s, "WALK_", 5);
}

static int count(char **list)
{
    int n = 0;
    while (*list)
        n += is_mine(*list++);
    return n;
}

static void walk(void)
{
    int n = 0;
    for (char **e = environ; *e; e++) {
        if (!is_mine(*e))
            continue;
#pragma pc3 checkpoint
        show_text("walk", *e);
        if (n < 3)
            places[n++].at = e;
    }
    show("seen", n);
}

int main(int argc, char **argv, char **envp)
{
    (void)argc, (void)argv;
    char **given = envp;
    int before = 0;
    while (given[before])
        before++;
    setenv("WALK_A", "1", 1);
    putenv(own);
    setenv("WALK_B", "22", 1);
    walk();
    kept = environ;
    for (char **e = environ; *e; e++)
        if (!strncmp(*e, "WALK_B", 6))
            text = *e + 7;
#pragma pc3 checkpoint
    show_text("text", text);
    own[9] = 'F';
    show("kept", count(kept));
#pragma pc3 checkpoint
    show_text("text", text);
    show("now", count(environ));
    for (int i = 0; i < 3; i++) {
        places[i].name = *places[i].at;
#pragma pc3 checkpoint
        show_text("place", places[i].name);
        show_text("place", *places[i].at);
    }
    unsetenv("WALK_B");
    memset(places, 0, sizeof places);
    text = NULL;
    int after = 0;
#pragma pc3 checkpoint
    while (given[after])
        after++;
    show("given", before - after);
    show("now", count(environ));
#pragma pc3 checkpoint
    show("now", count(environ));
    return 0;
}
