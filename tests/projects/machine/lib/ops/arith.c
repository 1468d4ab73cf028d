#include "ops.h"
#include <math.h>

double pop(struct machine *m) { return m->depth > 0 ? m->stack[--m->depth] : 0; }

int push(struct machine *m, double v) {
    if (m->depth >= 32) return 1;
    m->stack[m->depth++] = v;
    return 0;
}

static int add(struct machine *m) {
    double b = pop(m), a = pop(m);
    return push(m, a + b);
}
static int mul(struct machine *m) {
    double b = pop(m), a = pop(m);
    return push(m, fmod(a * b, 9973));
}
/* Slow on purpose, with a location inside: reached through a pointer from another unit. */
static int series(struct machine *m) {
    double n = pop(m), sum = 0;
    for (int i = 1; i <= (int)n; i++) {
        sum += 1.0 / i;
#pragma pc3 checkpoint
    }
    return push(m, sum);
}

static struct op ops[] = {{"add", add, 0}, {"mul", mul, 0}, {"series", series, 0}};

void arith_register(void) { ops_add(ops, sizeof ops / sizeof *ops); }
