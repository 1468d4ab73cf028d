#include "ops.h"
#include <string.h>

struct op *all_ops;

void ops_add(struct op *list, int count) {
    for (int i = 0; i < count; i++) {
        list[i].next = all_ops;
        all_ops = &list[i];
    }
}

op_function *ops_find(const char *name) {
    for (struct op *o = all_ops; o; o = o->next)
        if (!strcmp(o->name, name)) return o->run;
    return 0;
}

void ops_register(void) {
    arith_register();
    text_register();
}
