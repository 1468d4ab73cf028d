/* pc3-test: seq */
/* Digraphs, and types that a function's head defines. */
#include "check.h"

static int step(int x)
<%
#pragma pc3 checkpoint
    return x + 1;
%>

static int table<:3:> = <% 5, 6, 7 %>;

struct two {
    int a;
    long b;
} pair(int x)
{
    struct two r = {x, step(x) + 1};
    r.a += step(x);
    return r;
}

static struct {
    short a;
    double b;
} unnamed(int x)
{
    __typeof__(unnamed(0)) r = {(short)x, step(x) / 4.0};
    return r;
}

enum kind { SMALL, LARGE } kind_of(int x)
{
    return step(x) > 3 ? LARGE : SMALL;
}

struct list {
    struct list *next;
    int value;
} *front(struct list *l, int x)
{
    static struct list nodes[4];
    nodes[x].value = step(x) * 10;
    nodes[x].next = l;
    return &nodes[x];
}

int main(void)
{
    struct two p = pair(4);
    struct list *l = 0;
    long sum = 0;
    int i;
    for (i = 0; i < 3; i++) {
        l = front(l, i);
        sum += table<:step(i) - 1:>;
        p = pair(p.a);
        sum += p.b;
    }
    show("sum", sum);
    show_real("unnamed", unnamed(3).b + unnamed(2).a);
    show("kinds", kind_of(1) * 2 + kind_of(9));
    for (; l; l = l->next)
        show("list", l->value);
    return finish();
}
