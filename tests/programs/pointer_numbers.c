/* pc3-test: seq */
/* Numbers that a program keeps in pointers, stale pointers, dates with their zones, ends of arrays in front of characters. */
#define _GNU_SOURCE
#include "check.h"
#include <time.h>

static struct {
    long v[3];
    char name[8];
} g = {{1, 2, 3}, "name"};
static void *slot;
static struct tm dates[3];

struct cell {
    void *data;
    struct cell *next;
};

static void keep(void *number)
{
    slot = number;
}

static struct cell *cons(long n, struct cell *next)
{
    struct cell *c = malloc(sizeof *c);
    c->data = (void *)n;
    c->next = next;
    return c;
}

int main(void)
{
    long sum = 0;
    struct cell *list = NULL;
    keep((void *)(long)(70000 + strlen(g.name) - 4));
    for (int i = 1; i < 6; i++)
        list = cons(i * 100000, list);
#pragma pc3 checkpoint
    long n = 5;
    show("slot", slot == (char *)NULL + 70000);
    for (struct cell *c = list; c; c = c->next)
        show("item", c->data == (void *)(n-- * 100000));

    for (long *p = g.v, *end = g.v + 3; p != end; p++) {
#pragma pc3 checkpoint
        sum += *p;
    }
    show("sum", sum);

    time_t t = 86400 * 365;
    setenv("TZ", "ABC-2", 1);
    gmtime_r(&t, &dates[0]);
    localtime_r(&t, &dates[1]);
    dates[2] = dates[1];
    dates[2].tm_mon += 14;
    t = mktime(&dates[2]);
#pragma pc3 checkpoint
    show("mktime", t);
    for (int i = 0; i < 3; i++) {
        show_text("zone", dates[i].tm_zone);
        show("date", dates[i].tm_year * 10000L + dates[i].tm_mon * 100 + dates[i].tm_hour);
    }
    return 0;
}
