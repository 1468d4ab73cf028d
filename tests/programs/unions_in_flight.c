/* pc3-test: seq */
/* Many values with a union are on their way at once: alike ones, more than places for them, results that nobody takes. */
#include "check.h"
#include <stdlib.h>

struct value {
    union {
        double number;
        const char *text;
        long long count;
    } as;
    int kind;
};
static const char words[] = "many values that are passed at once";

static struct value number(double d) {
    struct value v = {{.number = d}, 0};
    return v;
}
static struct value text(int at) {
    struct value v;
    v.as.text = words + at;
    v.kind = 1;
    return v;
}
static struct value count(long long n) {
    struct value v;
    v.as.count = n;
    v.kind = 2;
    return v;
}
static struct value same(struct value v) {
    return v;
}
static struct value made(int i) {
    return i % 3 == 0 ? number(i / 4.0) : i % 3 == 1 ? text(i % 30) : count(i);
}
static double worth(struct value v) {
    return v.kind == 0 ? v.as.number : v.kind == 1 ? v.as.text[0] : (double)v.as.count;
}

static struct value kept[12];

static void keep(struct value a, struct value b, struct value c, struct value d, struct value e, struct value f, struct value g,
                 struct value h, struct value i, struct value j, struct value k, struct value l) {
    kept[0] = a, kept[1] = b, kept[2] = c, kept[3] = d, kept[4] = e, kept[5] = f;
    kept[6] = g, kept[7] = h, kept[8] = i, kept[9] = j, kept[10] = k, kept[11] = l;
}

int main(void) {
    for (int r = 0; r < 9; r++) {
        struct value all[12];
        for (int i = 0; i < 12; i++) all[i] = same(made(r * 5 + i));
        for (int i = 0; i < 40; i++) same(made(i + r));
        keep(all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], all[8], all[9], all[10], all[11]);
#pragma pc3 checkpoint
        double s = 0;
        for (int i = 0; i < 12; i++) s = s * 3 + worth(kept[i]);
        keep(made(r), made(r), made(r), made(r + 1), made(r + 1), number(1), number(1), text(4), text(4), text(4), count(9), count(9));
#pragma pc3 checkpoint
        for (int i = 0; i < 12; i++) s = s * 3 + worth(kept[i]);
        printf("%d %.17g\n", r, s);
    }
    return 0;
}
