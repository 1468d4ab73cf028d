/* pc3-test: seq */
/* Unions of which nothing says what is in use: the member that was written last is, wherever the value went since. */
#include "check.h"

enum { INT, REAL, TEXT, BYTES, SHORTS, PAIR };

struct value {
    int tag;
    union {
        long i;
        double d;
        const char *s;
        char bytes[12];
        short v[4];
        struct { int a; const char *b; } pair;
    } u;
};

struct cell {
    union {
        struct value v;
        struct cell *next;
    } what;
    union { float f; unsigned char c; long long wide; };
    struct cell *link;
};

static struct value globals[8] = {
    { INT, { 41 } }, { REAL, { .d = 2.5 } }, { TEXT, { .s = "static" } }, [5] = { BYTES, { .bytes = "eleven char" } },
    [6] = { PAIR, { .pair = { 7, "seven" } } },
};
static union { unsigned u; unsigned char c[4]; short h; } alone = { .h = 258 };
static int first(void) { return alone.h; }

static void show_value(const char *what, const struct value *v)
{
    show(what, v->tag);
    switch (v->tag) {
    case INT: show("int", v->u.i); break;
    case REAL: show_real("real", v->u.d); break;
    case TEXT: show_text("text", v->u.s); break;
    case BYTES: show_text("bytes", v->u.bytes); break;
    case SHORTS: show("shorts", v->u.v[0] * 1000 + v->u.v[3]); break;
    case PAIR: show("pair", v->u.pair.a); show_text("of", v->u.pair.b); break;
    }
}

static struct value make_int(long i)
{
    struct value v = { INT, { .i = i } };
    return v;
}

static struct value make_real(double d)
{
    return (struct value){ REAL, { .d = d } };
}

static struct value make_text(const char *s)
{
    struct value v;
    v.tag = TEXT;
    v.u.s = s;
    return v;
}

static struct value add(struct value a, struct value b)
{
#pragma pc3 checkpoint
    if (a.tag == INT && b.tag == INT)
        return make_int(a.u.i + b.u.i);
    return make_real((a.tag == INT ? (double)a.u.i : a.u.d) + (b.tag == INT ? (double)b.u.i : b.u.d));
}

static struct value stack[16], *sp = stack;

static void push(struct value v) { *sp++ = v; }
static struct value pop(void) { return *--sp; }

static void fill_shorts(short *v)
{
    for (int k = 0; k < 4; k++)
        v[k] = (short)(k + 3);
}

static void set_real(double *where, double d) { *where = d; }

int main(void)
{
    int i;
#pragma pc3 checkpoint
    for (i = 0; i < 7; i++)
        show_value("global", &globals[i]);
    show("alone", first());

    /* Small numbers look alike as what they are not. */
    struct value *heap = malloc(6 * sizeof *heap);
    memset(heap, 0, 6 * sizeof *heap);
    heap[0].tag = INT, heap[0].u.i = 1;
    heap[1].tag = BYTES, heap[1].u.bytes[0] = 'a', heap[1].u.bytes[1] = 0;
    heap[2].tag = SHORTS, heap[2].u.v[0] = 9, heap[2].u.v[3] = 1;
    heap[3].tag = PAIR, heap[3].u.pair.a = 3, heap[3].u.pair.b = "heap";
    heap[4] = make_text("returned");
    heap[5] = add(make_int(4), make_real(0.25));
#pragma pc3 checkpoint
    for (i = 0; i < 6; i++)
        show_value("heap", &heap[i]);

    /* Written again as something else; read as something else than written. */
    heap[0].u.d = -1.0, heap[0].tag = REAL;
    heap[1].u.i = 97, heap[1].tag = INT;
    heap[2].u.i = 0x0009000900090009 & 0xffff, heap[2].tag = INT;
    alone.u = 77;
    heap = realloc(heap, 60 * sizeof *heap);
    memcpy(&heap[6], &heap[0], 6 * sizeof *heap);
    memmove(&heap[8], &heap[6], 4 * sizeof *heap);
    heap[12] = heap[1];
    heap[13].u = heap[3].u, heap[13].tag = PAIR;
#pragma pc3 checkpoint
    for (i = 0; i < 14; i++)
        show_value("again", &heap[i]);
    show("alone", alone.u);

    /* Passed, returned, on a stack of the program's own. */
    push(make_int(5));
    push(make_text("top"));
    push((struct value){ SHORTS, { .v = { 1, 2, 3, 4 } } });
    push(globals[1]);
#pragma pc3 checkpoint
    while (sp > stack) {
        struct value v = pop();
#pragma pc3 checkpoint
        show_value("popped", &v);
    }

    /* Locals; increments; pointers to members. */
    struct value local = heap[4], other, *p = &other;
    local.u.i = 10, local.tag = INT;
    local.u.i++;
    local.u.i *= 3;
    p->tag = SHORTS;
    fill_shorts(p->u.v);
#pragma pc3 checkpoint
    show_value("local", &local), show_value("other", &other);
    set_real(&p->u.d, 0.5), p->tag = REAL;
    strcpy(local.u.bytes, "copied"), local.tag = BYTES;
#pragma pc3 checkpoint
    show_value("local", &local), show_value("other", &other);
    snprintf(other.u.bytes, sizeof other.u.bytes, "n=%d", i), other.tag = BYTES;
    local = add(globals[0], globals[1]);
#pragma pc3 checkpoint
    show_value("local", &local), show_value("other", &other);
    {
        int *a = &other.u.pair.a;
        other.u.pair.b = "kept", other.tag = PAIR;
        *a = 12;
#pragma pc3 checkpoint
        show_value("other", &other), ++*a;
#pragma pc3 checkpoint
        show_value("other", &other);
    }

    /* Unions in unions, unnamed ones, a list of them. */
    struct cell *list = NULL;
    for (i = 0; i < 6; i++) {
        struct cell *c = calloc(1, sizeof *c);
        if (i % 2)
            c->what.v = add(make_int(i), make_int(i));
        else
            c->what.next = list;
        if (i % 3 == 0)
            c->f = 1.5f * i;
        else if (i % 3 == 1)
            c->c = (unsigned char)i;
        else
            c->wide = i - 1;
        c->link = list;
        list = c;
    }
#pragma pc3 checkpoint
    for (i = 5; list; list = list->link, i--) {
        if (i % 2)
            show_value("cell", &list->what.v);
        else
            show("next", list->what.next == list->link);
        if (i % 3 == 0)
            show_real("f", list->f);
        else
            show("n", i % 3 == 1 ? list->c : list->wide);
    }
    return finish();
}
