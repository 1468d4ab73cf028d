/* pc3-test: seq abi=own pc3=-fno-pc3-track-unions */
/* Unions of pointers and numbers: which member is in use only the program knows; and nobody notes it. */
#include "check.h"

#include <stddef.h>

typedef struct value {
    int kind;
    union {
        long number;
        double real;
        const char *text;
        struct value *list;
        long (*apply)(long);
        struct { short length; char small[6]; } packed;
    } as;
    struct value *next;
} value;

union cell { void *pointer; unsigned long bits; };

static union cell table[5];
static value *all;

static long twice(long x)
{
#pragma pc3 checkpoint
    return 2 * x;
}

static value *make(int kind)
{
    value *v = malloc(sizeof *v);
    v->kind = kind;
    v->next = all;
    all = v;
    return v;
}

static long total(const value *list)
{
    long sum = 0;
    for (const value *v = list; v; v = v->next) {
        union cell here;
        here.bits = (unsigned long)v->kind;
        switch (v->kind) {
        case 0: sum += v->as.number; break;
        case 1: sum += (long)v->as.real; break;
        case 2: sum += (long)strlen(v->as.text); break;
        case 3: sum += v->as.list ? v->as.list->kind : -1; break;
        case 4: sum += v->as.apply(v->kind); break;
        default: sum += v->as.packed.small[v->as.packed.length - 1]; break;
        }
#pragma pc3 checkpoint
        sum += (long)here.bits;
    }
    return sum;
}

int main(void)
{
    static const char words[] = "some words";
    for (int i = 0; i < 24; i++) {
        value *v = make(i % 6);
        switch (v->kind) {
        case 0: v->as.number = -i; break;
        case 1: v->as.real = i / 3.0; break;
        case 2: v->as.text = i & 8 ? words + i % 5 : "literal"; break;
        case 3: v->as.list = all->next; break;
        case 4: v->as.apply = twice; break;
        default: v->as.packed.length = 3; memcpy(v->as.packed.small, "abcde", 6); break;
        }
        table[i % 5].pointer = i % 5 ? (void *)v : (void *)&table[i % 4];
        if (i % 5 == 3)
            table[i % 5].bits = (unsigned long)i * 12345u;
#pragma pc3 checkpoint
    }
    show("total", total(all));
    show("self", table[0].pointer == (void *)&table[20 % 4]);
    show("value", ((value *)table[1].pointer)->kind);
    show("bits", (long long)table[3].bits);
    show("again", total(all->next));
    return finish();
}
