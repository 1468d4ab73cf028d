#include "parts/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int shapes_made;

static int tick(int x)
{
#pragma pc3 checkpoint
    return x;
}

struct shape *make_shape(const char *kind, int width, int height, struct shape *next)
{
    struct shape *s = malloc(sizeof *s);
    if (!s)
        exit(1);
    memset(s->name, 0, sizeof s->name);
    snprintf(s->name, sizeof s->name, "%s%d", kind, ++shapes_made);
    s->width = tick(width);
    s->height = tick(height);
    s->kind = kinds;
    while (strcmp(s->kind->name, kind) != 0)
        s->kind++;
    s->next = next;
    return s;
}

struct shape *grow(struct shape *s, int by)
{
    for (int i = 0; i < by; i++) {
#pragma pc3 checkpoint
        s->width = doubled(s->width);
    }
    return s;
}

void free_shapes(struct shape *s)
{
    while (s) {
        struct shape *next = s->next;
        free(s);
        s = next;
    }
}
