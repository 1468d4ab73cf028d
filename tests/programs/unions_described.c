/* pc3-test: seq */
/* Unions of which another member says what is in use: by value, by bits, unnamed ones, in arrays and lists. */
#include "check.h"

enum kind { NUMBER, REAL, TEXT, LIST, APPLY, EMPTY };

struct value {
    enum kind kind;
    union {
        long number;
        double real;
        const char *text;
        struct value *list;
        long (*apply)(long);
    } as;
    struct value *next;
};
#pragma pc3 union value.as by kind: number = NUMBER, real = REAL, text = TEXT, list = LIST, apply = APPLY, none = *

typedef struct {
    unsigned char flags;
    union {
        int small[2];
        void *pointer;
        short tiny;
    };
} packet;
#pragma pc3 union packet.small by flags & 0x0f: small = any 1, pointer = any 2 | 4, tiny = 0

struct bits {
    union { float f; long l; } u;
    int is_long : 1, other : 7;
};
#pragma pc3 union bits.u by is_long: l = -1, f = 0

static struct value *all;
static packet packets[6];
static struct bits fields[4];

static long twice(long x)
{
#pragma pc3 checkpoint
    return 2 * x;
}

static struct value *make(int kind)
{
    struct value *v = malloc(sizeof *v);
    memset(v, 0x55, sizeof *v);
    v->kind = (enum kind)kind;
    v->next = all;
    all = v;
    return v;
}

static double total(const struct value *v)
{
    double sum = 0;
    for (; v; v = v->next) {
        struct value here = *v;
#pragma pc3 checkpoint
        switch (here.kind) {
        case NUMBER: sum += (double)here.as.number; break;
        case REAL: sum += here.as.real; break;
        case TEXT: sum += (double)strlen(here.as.text); break;
        case LIST: sum += here.as.list ? (int)here.as.list->kind : -1; break;
        case APPLY: sum += (double)here.as.apply(7); break;
        case EMPTY: break;
        }
    }
    return sum;
}

int main(void)
{
    for (int i = 0; i < 24; i++) {
        struct value *v = make(i % 6);
        switch (v->kind) {
        case NUMBER: v->as.number = -i; break;
        case REAL: v->as.real = i / 4.0; break;
        case TEXT: v->as.text = "some text" + i % 7; break;
        case LIST: v->as.list = v->next; break;
        case APPLY: v->as.apply = twice; break;
        case EMPTY: break;
        }
        packet *p = &packets[i % 6];
        p->flags = (unsigned char)(0xf0 | (i % 6 < 2 ? 1 : i % 6 < 4 ? 2 : 0));
        if (p->flags & 1)
            p->small[0] = i, p->small[1] = -i;
        else if (p->flags & 2)
            p->pointer = i % 2 ? (void *)v : (void *)&packets[1];
        else
            p->tiny = (short)(i * 100);
        struct bits *b = &fields[i % 4];
        b->is_long = i % 2 ? -1 : 0;
        if (b->is_long)
            b->u.l = -i * 1000L;
        else
            b->u.f = (float)i / 8;
#pragma pc3 checkpoint
    }
    show_real("total", total(all));
    for (int i = 0; i < 2; i++)
        show("small", packets[i].small[0] - packets[i].small[1]);
    show("pointer", packets[2].pointer == (void *)&packets[1]);
    show("value", ((struct value *)packets[3].pointer)->kind);
    show("tiny", packets[4].tiny + packets[5].tiny);
#pragma pc3 checkpoint
    for (int i = 0; i < 4; i++)
        show_real("bits", fields[i].is_long ? (double)fields[i].u.l : fields[i].u.f);
    show_real("again", total(all->next));
    return finish();
}
