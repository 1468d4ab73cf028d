/* pc3-test: seq */
/* Names of functions that are kept, of functions that reach no location: logs, tables of places. */
#include "check.h"

struct event {
    int line;
    const char *where;
};

static struct event log_of[8];
static int events;
static const char *latest;

static void note(const char *where, int n)
{
    log_of[events++ % 8] = (struct event){n, where};
}

#define NOTE(n) note(__func__, n)

static void open_it(int n)
{
    static const char *const self = __func__;
    NOTE(n);
    latest = self;
}

static void close_it(int n)
{
    latest = n % 2 ? __FUNCTION__ : __func__;
    NOTE(-n);
}

static const char *length_of(size_t *n)
{
    *n = sizeof __func__;
    return __func__ + 7;
}

/* As logging macros have it: the name is an argument of the call. */
static struct event place(const char *where, int line)
{
#pragma pc3 checkpoint
    return (struct event){line, where};
}

#define HERE(n) place(__builtin_FUNCTION(), n)

static const char *called_for(int n)
{
    struct event here = HERE(n);
    const char *name = __builtin_FUNCTION();
#pragma pc3 checkpoint
    show_text(here.where, name);
    show("again", here.line + (int)sizeof(__builtin_FUNCTION()) - (int)sizeof(char *));
    return name;
}

int main(void)
{
    size_t n;
    const char *of = length_of(&n);
    for (int i = 0; i < 5; i++) {
        open_it(i);
#pragma pc3 checkpoint
        close_it(i);
        const char *last = latest;
#pragma pc3 checkpoint
        show_text("latest", latest);
        show("same", last == latest && log_of[(events - 1) % 8].where == latest);
        NOTE(i * 100);
        show_text("called", called_for(i));
    }
    show_text("main", HERE(n).where);
    for (int i = 0; i < 8; i++)
        show_text(log_of[i].where, log_of[i].where + 1), show("line", log_of[i].line);
    show_text("end", of);
    show("length", (long long)n);
    return finish();
}
