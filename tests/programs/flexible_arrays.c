/* pc3-test: seq */
/* Structures that end in a flexible array: numbers, pointers, structures; grown by realloc. */
#include "check.h"

struct text {
    int length;
    char bytes[];
};
struct samples {
    short tag;
    int count;
    double values[];
};
struct edge {
    struct vertex *to;
    short weight;
};
struct vertex {
    char name;
    int degree;
    struct edge edges[];
};

/* Initialisers make them longer than their type. */
static struct text initial = {9, "lengthier"};
static struct samples fixed = {1, 3, {[2] = 2.5, [0] = 1.5}};

/* Where its last bytes are in the padding of the struct, which is not the same everywhere. */
static struct padded {
    double x;
    short id;
    char name[];
} padded = {1.5, 2, "abc"};

static void *need(void *p)
{
    if (!p)
        exit(1);
    return p;
}

static struct text *append(struct text *t, char c)
{
    t = need(realloc(t, sizeof *t + (size_t)t->length + 1));
#pragma pc3 checkpoint
    t->bytes[t->length++] = c;
    return t;
}

static struct samples *measure(int count)
{
    struct samples *s = need(malloc(sizeof *s + (size_t)count * sizeof s->values[0]));
    s->tag = (short)(count * 100);
    s->count = count;
    for (int i = 0; i < count; i++) {
        s->values[i] = i / 8.0 - 1;
#pragma pc3 checkpoint
    }
    return s;
}

static struct vertex *make_vertex(char name, int degree)
{
    struct vertex *v = need(calloc(1, sizeof *v + (size_t)degree * sizeof(struct edge)));
    v->name = name;
    v->degree = degree;
#pragma pc3 checkpoint
    return v;
}

int main(void)
{
    struct text *t = need(malloc(sizeof *t));
    t->length = 0;
    for (char c = 'a'; c < 'k'; c++)
        t = append(t, c);
    t = append(t, '\0');
    show_text("text", t->bytes);
    struct samples *s = measure(9);
    double *inside = &s->values[4], sum = 0;
#pragma pc3 checkpoint
    for (int i = 0; i < s->count; i++)
        sum += s->values[i];
    show_real("sum", sum + *inside);
    show("tag", s->tag + (inside - s->values));

    struct vertex *v[3];
    for (int i = 0; i < 3; i++)
        v[i] = make_vertex((char)('p' + i), i + 1);
    for (int i = 0; i < 3; i++)
        for (int e = 0; e < v[i]->degree; e++) {
            v[i]->edges[e].to = v[(i + e) % 3];
            v[i]->edges[e].weight = (short)(e - i);
#pragma pc3 checkpoint
        }
    const struct vertex *at = v[2];
    for (int i = 0; i < 6; i++) {
        const struct edge *e = &at->edges[i % at->degree];
#pragma pc3 checkpoint
        show("walk", at->name * 100 + e->weight);
        at = e->to;
    }
    for (int i = 0; i < 3; i++)
        free(v[i]);
    free(s);
    free(t);
    initial.bytes[8] = 'X';
    fixed.values[2] *= 3;
    padded.name[2] = 'd';
#pragma pc3 checkpoint
    show_text("initial", initial.bytes);
    show_text("padded", padded.name);
    show_real("fixed", fixed.values[0] + fixed.values[2]);
    return finish();
}
