/* pc3-test: seq */
/* A pointer beside a union leads into it while one member is in use, and elsewhere while the other one is: nobody says so. */
#include "check.h"

struct value {
    union {
        long long number;
        double real;
        struct up *cell;
    } is;
    unsigned char kind;
};

struct up {
    unsigned char mark;
    struct value *at;
    union {
        struct { struct up *next, **before; } open;
        struct value own;
    } u;
};

static struct value places[4];
static struct up *list;

static struct up *opened(struct value *place)
{
    struct up *p = malloc(sizeof *p);
    struct up *next = list;
    p->at = place;
    p->mark = 1;
    p->u.open.next = next;
    p->u.open.before = &list;
    if (next)
        next->u.open.before = &p->u.open.next;
    list = p;
    return p;
}

static void take_out(struct up *p)
{
    *p->u.open.before = p->u.open.next;
    if (p->u.open.next)
        p->u.open.next->u.open.before = p->u.open.before;
}

static void close_up(struct up *p)
{
    struct value *own = &p->u.own;
    take_out(p);
    {
        const struct value *from = p->at;
        own->is = from->is;
        own->kind = from->kind;
    }
    p->at = own;
    if (p->mark)
        p->mark = own->kind;
}

static void close_by_name(struct up *p)
{
    take_out(p);
    p->u.own = *p->at;
    p->at = &p->u.own;
}

static struct up *made(long long n)
{
    struct up *p = malloc(sizeof *p);
    p->mark = 0;
    p->at = &p->u.own;
    p->at->is.number = n;
    p->at->kind = 1;
    return p;
}

static int is_open(const struct up *p) { return p->at != &p->u.own; }

int main(void)
{
    struct up *all[6];
    for (int i = 0; i < 4; i++) {
        places[i].is.number = 1000 + i;
        places[i].kind = 1;
        all[i] = opened(&places[i]);
    }
    all[4] = made(5000000000LL);
    all[5] = made(-7);
    places[2].is.real = 2.5;
    places[2].kind = 2;
    places[3].is.cell = all[4];
    places[3].kind = 3;
    for (int i = 0; i < 4; i++) {
        struct up *chosen = all[i * 3 % 4];
#pragma pc3 checkpoint
        for (struct up *p = list; p; p = p->u.open.next)
            show("open", is_open(p) && *p->u.open.before == p);
        if (i % 2)
            close_by_name(chosen);
        else
            close_up(chosen);
#pragma pc3 checkpoint
        all[5]->at->is.number += i;
        show("is open", is_open(chosen));
    }
    for (int i = 0; i < 6; i++) {
        const struct value *v = all[i]->at;
        show("own", v == &all[i]->u.own);
        show("value", v->kind == 1 ? v->is.number : v->kind == 2 ? (long long)(v->is.real * 2) : v->is.cell->at->is.number);
    }
    return finish();
}
