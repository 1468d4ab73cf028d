/* pc3-test: seq */
/* A program of several files with a header in a subfolder: functions, globals, types and static
 * names of the same spelling in different files. */
#include "parts/shape.h"

#include "../check.h"

static int count = 100; /* not the one in area.c */

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + count++;
}

int main(void)
{
    struct shape *all = NULL;
    for (int i = 1; i <= 4; i++) {
        all = make_shape(i % 2 ? "box" : "disc", i, tick(i), all);
#pragma pc3 checkpoint
    }
    for (struct shape *s = all; s; s = s->next) {
        show(s->name, s->kind->area(s));
        show("grown", grow(s, 2)->width);
    }
    show("shapes", shapes_made);
    show("measured", areas_measured());
    show("count", count);
    show("inline", doubled(tick(0)));
    free_shapes(all);
    return finish();
}
