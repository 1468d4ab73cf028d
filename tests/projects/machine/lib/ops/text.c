#include "ops.h"
#include <string.h>

static int dup_(struct machine *m) {
    double a = pop(m);
    return push(m, a) || push(m, a);
}
static int length(struct machine *m) { return push(m, (double)strlen(m->word)); }

static struct op ops[] = {{"dup", dup_, 0}, {"length", length, 0}};

void text_register(void) { ops_add(ops, sizeof ops / sizeof *ops); }
