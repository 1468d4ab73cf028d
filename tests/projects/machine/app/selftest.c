#include "store.h"
#include <stdio.h>

int main(void) {
    struct table *t = table_new(3);
    table_set(t, "x", 1);
    table_set(t, "x", 2);
    int wrong = table_find(t, "x")->value != 2 || table_find(t, "y") != 0;
    table_free(t);
    printf("selftest %s\n", wrong ? "failed" : "passed");
    return wrong;
}
