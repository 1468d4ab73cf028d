#include "parts/shape.h"

static int count; /* not the one in main.c */

static int box_area(const struct shape *s)
{
    count++;
#pragma pc3 checkpoint
    return s->width * s->height;
}

static int disc_area(const struct shape *s)
{
    int r = s->width;
    count++;
#pragma pc3 checkpoint
    return 3 * r * r;
}

const struct kind kinds[] = {{"box", box_area}, {"disc", disc_area}};

int areas_measured(void)
{
    return count;
}
