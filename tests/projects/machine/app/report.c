#include "app.h"
#include <stdio.h>

static void line(struct item *item, void *context) {
    struct report *r = context;
#pragma pc3 checkpoint
    list_add(&r->lines, item->name, item->value);
    r->total += item->value;
    r->visited++;
}

void report_make(struct report *r, struct table *t) {
    list_init(&r->lines);
    r->total = 0;
    r->visited = 0;
    table_each(t, line, r);
}

void report_print(const struct report *r) {
    for (struct item *i = r->lines.first; i; i = i->next) printf("  %s = %.10g\n", i->name, i->value);
    printf("  %d variables, total %.10g\n", r->visited, r->total);
}
