/* pc3-test: seq flags=-w */
/* Memory that was made for one struct and is written as another, which nothing but the program's tag tells. */
#include <stdio.h>
#include <stdlib.h>

struct object { int type; void *data[2]; };
struct number { int type; int low, high; int extra; };

int main(void) {
    struct object *pool[4];
    for (int i = 0; i < 4; i++) {
        pool[i] = malloc(sizeof(struct object));
        struct number *n = (struct number *)pool[i];
        n->type = i;
        n->low = n->high = 70000 + i;
        n->extra = 100 + i;
    }
#pragma pc3 checkpoint
    for (int i = 0; i < 4; i++) {
        struct number *n = (struct number *)pool[i];
        printf("%d %d %d %d\n", n->type, n->low, n->high, n->extra);
    }
    return 0;
}
