/* pc3-test: seq */
/* A graph with cycles, self loops and shared successors on the heap; searches with queue and
 * recursion while it changes. */
#include "check.h"

enum { VERTICES = 14, MOST = 4 };
struct vertex {
    int number, mark;
    struct vertex *out[MOST];
    int degree;
    struct vertex *found_from;
    struct vertex *queue;
    void *owner; /* the graph */
};
struct graph {
    struct vertex **vertices;
    struct vertex *front, **back;
    int count;
};

static struct graph *make(int count)
{
    struct graph *g = malloc(sizeof *g);
    if (!g || !(g->vertices = calloc((size_t)count, sizeof *g->vertices)))
        exit(1);
    g->count = count;
    g->front = NULL;
    g->back = &g->front;
    for (int i = 0; i < count; i++) {
        struct vertex *v = g->vertices[i] = calloc(1, sizeof **g->vertices);
        if (!v)
            exit(1);
        v->number = i;
        v->owner = g;
#pragma pc3 checkpoint
    }
    return g;
}

static void connect(struct vertex *from, struct vertex *to)
{
    if (from->degree < MOST)
        from->out[from->degree++] = to;
}

static int breadth_first(struct graph *g, struct vertex *start)
{
    int reached = 0;
    for (int i = 0; i < g->count; i++)
        g->vertices[i]->found_from = NULL;
    start->found_from = start;
    *g->back = start;
    g->back = &start->queue;
    while (g->front) {
        struct vertex *v = g->front;
        g->front = v->queue;
        if (!g->front)
            g->back = &g->front;
        v->queue = NULL;
        reached++;
#pragma pc3 checkpoint
        for (int i = 0; i < v->degree; i++)
            if (!v->out[i]->found_from) {
                v->out[i]->found_from = v;
                *g->back = v->out[i];
                g->back = &v->out[i]->queue;
            }
    }
    return reached;
}

static int depth_first(struct vertex *v, int mark)
{
    v->mark = mark++;
    for (int i = 0; i < v->degree; i++) {
#pragma pc3 checkpoint
        if (!v->out[i]->mark)
            mark = depth_first(v->out[i], mark);
    }
    return mark;
}

int main(void)
{
    struct graph *g = make(VERTICES);
    for (int i = 0; i < VERTICES; i++) {
        connect(g->vertices[i], g->vertices[(i * i + 3) % VERTICES]);
        connect(g->vertices[i], g->vertices[(i * 5 + 1) % VERTICES]);
    }
    show("reached", breadth_first(g, g->vertices[1]));
    connect(g->vertices[7], g->vertices[13]);
    connect(g->vertices[13], g->vertices[2]);
    show("reached", breadth_first(g, g->vertices[1]));
    show("marks", depth_first(g->vertices[0], 1));
    for (int i = 0; i < VERTICES; i++) {
        struct vertex *v = g->vertices[i];
#pragma pc3 checkpoint
        show("vertex", v->mark * 100 + (v->found_from ? v->found_from->number : 99));
        mix(((struct graph *)v->owner)->count);
    }
    for (int i = 0; i < VERTICES; i++)
        free(g->vertices[i]);
    free(g->vertices);
    free(g);
    return finish();
}
