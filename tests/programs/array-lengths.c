/* pc3-test: seq */
/* Lengths of arrays that are written over several lines or name statics; packed calls through casts. */
#include <stdarg.h>
#include <stddef.h>
#include "check.h"

struct state {
    int kept;
    int first;
    int rest[6];
};

#define COUNT(a) (int)(sizeof(a) / sizeof(a[0]))

int alone[];
static int said_later[];

/* One element, and as many as the end of the file says. */
static void count_up(int n) {
    __typeof__((n)) twice = 2 * n;
#pragma pc3 checkpoint
    alone[0] += n;
    said_later[n & 1] += twice;
    printf("%d %d %d\n", alone[0], said_later[0], said_later[1]);
}

static void restart(struct state *p) {
    static const struct {
        const char *name;
        int value;
    } table[] = { { "a", 1 },
                  { "b", 2 },
                  { "c", 3 } };
    int values[COUNT(table)];
    int saved[(sizeof(struct state) -
               offsetof(struct state, first)) / sizeof(int)];
    for (int i = 0; i < COUNT(table); i++) values[i] = table[i].value * 10;
    memcpy(saved, &p->first, sizeof saved);
    memset(&p->first, 0, sizeof saved);
#pragma pc3 checkpoint
    memcpy(&p->first, saved, sizeof saved);
    for (int i = 0; i < COUNT(values); i++) p->rest[i] += values[i];
}

typedef void (*pointer)(void);

static int sum(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++) {
#pragma pc3 checkpoint
        total += va_arg(list, int);
    }
    va_end(list);
    return total;
}

static struct {
    const char *name;
    pointer call;
} calls[] = { { "sum", (pointer)sum } };

typedef int (*finder)(int, ...);
static finder found = sum;
static void *context = &found;

#define SUM ((int (*)(int, ...))calls[0].call)

int main(void) {
    struct state p = { 7, 8, { 1, 2, 3, 4, 5, 6 } };
    for (int i = 0; i < 4; i++) {
        restart(&p);
        count_up(i);
        show("first", p.first);
        for (int k = 0; k < 6; k++) show("rest", p.rest[k]);
        show("sums", SUM(2, i, 5) ? SUM(3, 1, 2, i) : 0);
        show("sum", (**(finder *)context)(1, i));
    }
    return finish();
}

static int said_later[2];
