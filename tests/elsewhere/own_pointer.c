/* pc3-test: seq */
/* A pointer beside a union leads into it while the other member is stored, which only shows as the program runs. */
#include <stdio.h>
#include <stdlib.h>

struct value {
    long long number;
    int kind;
};

struct up {
    struct value *at;
    union {
        struct {
            struct up *next, *before;
        } open;
        struct value own;
    } u;
};

static struct value one;

int main(int argc, char **argv) {
    struct up *p = malloc(2 * sizeof *p);
    p[0].at = &one;
    p[0].u.open.next = p;
    p[0].u.open.before = p + 1;
    p[1].at = &p[1].u.own;
    p[1].at->number = 7;
    p[1].at->kind = 1;
    if (argc < 2)
        p[1].u.open.next = p;
#pragma pc3 checkpoint
    printf("%d %d\n", p[0].u.open.before == p + 1, p[1].u.open.next == p && argv[0] != NULL);
    return 0;
}
