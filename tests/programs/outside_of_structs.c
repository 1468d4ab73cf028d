/* pc3-test: seq */
/* Pointers that are moved back in arrays of structs: most stay among the elements, some do not, and some point into elements. */
#include <stdio.h>
#include <stdlib.h>

struct slot {
    char kind;
    long value;
    short row[3];
    struct slot *link;
};

struct stack {
    struct slot *base, *top, *low;
    short *before;
};

static struct slot fixed[6];

static void push(struct stack *s, long value)
{
    s->top->value = value;
    s->top->kind = (char)('a' + value % 26);
    s->top->link = s->top == s->base ? 0 : s->top - 1;
    s->top += 1;
}

/* As interpreters leave a call: the top goes back over what it was given. */
static long drop(struct stack *s, int n)
{
    struct slot *at = s->top - n;
    long sum = 0;
    int i;
    for (i = 0; i < n; i++)
        sum = 31 * sum + at[i].value;
    s->top -= n;
#pragma pc3 checkpoint
    return sum;
}

static long chain(const struct slot *p)
{
    long n = 0;
    for (; p; p = p->link)
        n = 7 * n + p->value + p->kind;
    return n;
}

int main(void)
{
    struct stack s;
    struct slot *last = fixed + 6;
    unsigned long total = 0;
    int round, i;
    s.base = malloc(20 * sizeof *s.base);
    if (!s.base)
        return 1;
    s.top = s.base;
    /* Counts from 5: lies in front of the array. */
    s.low = s.base;
    s.low -= 5;
    /* Counts from 1 within an element. */
    s.before = s.base[1].row;
    s.before -= 1;
    last -= 2;
    for (round = 0; round < 12; round++) {
        for (i = 0; i < 7; i++)
            push(&s, round * 10 + i);
        total = total * 3 + (unsigned long)drop(&s, 3);
        total += (unsigned long)chain(s.top - 1) + (unsigned long)(s.low[6].value + s.low[5].kind);
        s.before[1 + round % 3] = (short)round;
        last->value += round;
#pragma pc3 checkpoint
        total += (unsigned long)(s.base[1].row[round % 3] + fixed[4].value);
        total = (total + (unsigned long)drop(&s, 4)) & 0xffffff;
    }
    printf("%lu %d\n", total, s.top == s.base);
    free(s.low + 5);
    return 0;
}
