/* pc3-test: seq */
/* A tag says what is in use but for once, which only shows as the program runs. */
#include <stdio.h>
#include <stdlib.h>

struct value {
    int tag;
    union {
        long long number;
        double real;
        const char *text;
    } is;
};

static void number(struct value *v, long long n) {
    v->is.number = n;
    v->tag = 1;
}

static void text(struct value *v, const char *t) {
    v->is.text = t;
    v->tag = 2;
}

int main(int argc, char **argv) {
    struct value *v = malloc(2 * sizeof *v);
    number(&v[0], 1);
    text(&v[1], "text");
    if (argc < 2)
        v[1].is.number = 5;
#pragma pc3 checkpoint
    printf("%lld %d %lld\n", v[0].is.number, argv[0] != NULL, v[1].is.number);
    return 0;
}
