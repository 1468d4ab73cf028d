/* pc3-test: seq flags=-w */
/* Items of a block, found by their number and size, which is another one on 32 bits: what has been handed out would not be found there. */
#include <stdio.h>
#include <stdlib.h>

struct vector { size_t count, room; char *data; };
static void *push(struct vector *v, size_t size) {
    if ((v->count + 1) * size > v->room)
        v->data = realloc(v->data, v->room = v->room * 2 + size);
    return v->data + size * v->count++;
}

struct point { int x; double y; struct point *up; };

int main(void) {
    struct vector v = { 0, 0, 0 };
    for (int i = 0; i < 4; i++) {
        struct point *p = push(&v, sizeof(struct point));
        p->x = i;
        p->y = i * .5;
        p->up = 0;
    }
#pragma pc3 checkpoint
    struct point *all = (struct point *)v.data;
    for (size_t i = 0; i < v.count; i++)
        printf("%d %g\n", all[i].x, all[i].y);
    return 0;
}
