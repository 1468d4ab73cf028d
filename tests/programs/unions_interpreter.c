/* pc3-test: seq */
/* A small interpreter whose values say only to itself what they are. */
#include "check.h"

enum { NIL, NUM, FIX, STR, PAIR, FUN };

typedef struct value {
    unsigned char tag;
    union {
        double num;
        long long fix;
        const char *str;
        struct pair *pair;
        struct value (*fun)(struct value);
    };
} value;

struct pair { value first, rest; };

/* Of several words, and small. */
union cell { struct { int line, column; char name[8]; } at; struct { value *top; long depth; } stack; };
union small { float f; int i; short two[2]; };

static value nil;
static value *stack, *limit, *top;
static long made;

static void grow(void)
{
    long n = limit - stack, used = top - stack, more = n ? 2 * n : 4;
    stack = realloc(stack, more * sizeof *stack);
    top = stack + used;
    limit = stack + more;
}

static void push(value v)
{
    if (top == limit)
        grow();
    *top++ = v;
}

static value pop(void) { return *--top; }

static value num(double d) { return (value){ NUM, { .num = d } }; }
static value fix(long long i) { value v = { FIX, { .fix = i } }; return v; }
static value str(const char *s) { value v; v.tag = STR; v.str = s; return v; }
static value fun(value (*f)(value)) { value v; v.fun = f, v.tag = FUN; return v; }

static value cons(value a, value b)
{
    struct pair *p = malloc(sizeof *p);
    value v;
    made++;
    p->first = a;
    p->rest = b;
    v.tag = PAIR;
    v.pair = p;
    return v;
}

static void drop(value v)
{
    while (v.tag == PAIR) {
        value rest = v.pair->rest;
        free(v.pair);
        v = rest;
    }
}

static double number(value v)
{
    switch (v.tag) {
    case NUM: return v.num;
    case FIX: return (double)v.fix;
    case STR: return (double)strlen(v.str);
    case PAIR: return number(v.pair->first) + 2 * number(v.pair->rest);
    default: return 0;
    }
}

static value twice(value v)
{
#pragma pc3 checkpoint
    if (v.tag == FIX)
        return fix(2 * v.fix);
    return num(2 * number(v));
}

static value apply(value f, value v) { return f.tag == FUN ? f.fun(v) : nil; }

static value sum(value list)
{
    value s = fix(0);
    while (list.tag == PAIR) {
        value v = list.pair->first;
#pragma pc3 checkpoint
        s = s.tag == FIX && v.tag == FIX ? fix(s.fix + v.fix) : num(number(s) + number(v));
        list = list.pair->rest;
    }
    return s;
}

int main(void)
{
    static const char *words[] = { "alpha", "beta", "gamma", "a longer word" };
    union cell cells[3];
    union small smalls[5] = { { .f = 1.5f }, { .i = -7 } };
    value list = nil, kept[6];
    int i;

    cells[0].at.line = 12, cells[0].at.column = 80, strcpy(cells[0].at.name, "main");
    cells[1].stack.depth = 3, cells[1].stack.top = NULL;
    cells[2] = cells[0];
    for (i = 2; i < 5; i++) {
        smalls[i] = smalls[i - 2];
        if (i == 4)
            smalls[4].two[0] = 258, smalls[4].two[1] = 3;
    }
    for (i = 0; i < 40; i++) {
        value v = i % 4 == 0 ? fix(0x0102030405060708ll * i) : i % 4 == 1 ? num(i / 8.0) : i % 4 == 2 ? str(words[i / 2 % 4]) : fun(twice);
        push(v);
        if (i % 7 == 3) {
            /* Memory that was one thing becomes another. */
            drop(list);
            list = nil;
        }
        if (v.tag != FUN)
            list = cons(i % 3 ? v : nil, list);
        else
            list = cons(apply(v, fix(i)), nil);
#pragma pc3 checkpoint
        if (i % 5 == 4) {
            value a = pop(), b = pop();
            push(apply(fun(twice), cons(a, cons(b, nil))));
        }
    }
    memcpy(kept, stack + 3, sizeof kept);
    memmove(kept + 1, kept, 4 * sizeof *kept);
#pragma pc3 checkpoint
    for (i = 0; i < 6; i++) {
        show("tag", kept[i].tag);
        show_real("is", kept[i].tag == FUN ? number(apply(kept[i], num(1.25))) : number(kept[i]));
    }
    cells[1].stack.top = top - 1;
#pragma pc3 checkpoint
    show("line", cells[2].at.line * 100 + cells[2].at.column), show_text("name", cells[2].at.name);
    show("top", cells[1].stack.top->tag), show("depth", cells[1].stack.depth);
    show_real("small", smalls[2].f), show("small", smalls[3].i), show("small", smalls[4].two[0] * 10 + smalls[4].two[1]);
    show_real("list", number(list));
    list = sum(list);
    show("tag", list.tag), show_real("sum", number(list));
    while (top > stack)
        show_real("left", number(pop()));
    show("made", made);
    return finish();
}
