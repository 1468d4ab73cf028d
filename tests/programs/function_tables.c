/* pc3-test: seq */
/* Calls through pointers: tables, members, parameters, results, library functions. */
#include "check.h"

#include <ctype.h>
#include <stddef.h>

typedef int binary(int, int);

static int add(int a, int b)
{
#pragma pc3 checkpoint
    return a + b;
}

static int times(int a, int b)
{
#pragma pc3 checkpoint
    return a * b;
}

static int quiet(int a, int b)
{
    return a - b;
}

struct operation {
    char sign;
    binary *apply;
    int uses;
};
static struct operation operations[] = {{'+', add, 0}, {'*', times, 0}, {'-', quiet, 0}};

static struct operation *find(char sign)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].sign == sign)
            return &operations[i];
    return NULL;
}

/* Reverse Polish: single digits and signs. */
static int evaluate(const char *text)
{
    int stack[16], top = 0;
    for (; *text; text++) {
        if (isdigit((unsigned char)*text)) {
            stack[top++] = *text - '0';
            continue;
        }
        struct operation *op = find(*text);
        op->uses++;
        top--;
        stack[top - 1] = op->apply(stack[top - 1], stack[top]);
    }
    return stack[0];
}

static binary *choose(int which)
{
#pragma pc3 checkpoint
    return which ? add : quiet;
}

static int fold(binary *f, const int *values, int count)
{
    int result = values[0];
    for (int i = 1; i < count; i++) {
#pragma pc3 checkpoint
        result = (*f)(result, values[i]);
    }
    return result;
}

/* What lies so many bytes behind something, copied from there. */
static int at_offset(const void *start, size_t offset, int a, int b)
{
    binary *copied;
    memcpy(&copied, (const char *)start + offset, sizeof copied);
    return copied(a, b);
}

static void each(void (*visit)(int, void *), void *context, int count)
{
    for (int i = 0; i < count; i++)
        visit(i, context);
}

static void collect(int i, void *context)
{
    int *sum = context;
#pragma pc3 checkpoint
    *sum += i * i;
}

int main(void)
{
    show("rpn", evaluate("34+25*-7*"));
    show("rpn", evaluate("12345++**"));
    int values[] = {9, 4, 2, 1};
    binary *all[] = {add, times, quiet}, **cursor = all;
    for (int i = 0; i < 3; i++)
        show("fold", fold(*cursor++, values, 4));
    show("chosen", choose(1)(2, 3) + choose(0)(2, 3));
    int sum = 0;
    each(collect, &sum, 5);
    show("each", sum);
    show("copied", at_offset(&operations[1], offsetof(struct operation, apply), 6, 7));
    int (*convert)(int) = toupper;
    show("before", convert('q'));
    add(0, 0);
    show("library", convert('q'));
    for (int i = 0; i < 3; i++)
        show("uses", operations[i].uses);
    show("same", operations[1].apply == times);
    return finish();
}
