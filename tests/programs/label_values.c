/* pc3-test: seq */
/* Addresses of labels (GNU C) as values: in variables, structs, the heap, tables and differences, as interpreters use them. */
#include "check.h"

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

/* Threaded code: the program itself consists of labels. */
static int threaded(const char *source)
{
    struct cell {
        void *code;
        int operand;
        struct cell *next;
    } *program = NULL, **end = &program, *pc;
    int a = 1;
    for (; *source; source++) {
        struct cell *c = malloc(sizeof *c);
        if (!c)
            abort();
        c->code = *source == '+' ? &&add : *source == '*' ? &&multiply : *source == '-' ? &&negate : &&set;
        c->operand = *source >= '0' && *source <= '9' ? *source - '0' : 3;
        c->next = NULL;
        *end = c;
        end = &c->next;
        tick(0);
    }
    pc = program;
#define NEXT                   \
    do {                       \
        struct cell *done = pc; \
        pc = pc->next;         \
        free(done);            \
        if (!pc)               \
            goto out;          \
        goto *pc->code;        \
    } while (0)
    goto *pc->code;
add:
    a += tick(pc->operand);
    NEXT;
multiply:
#pragma pc3 checkpoint
    a *= pc->operand;
    NEXT;
negate:
    a = -a;
    NEXT;
set:
    a = tick(a) * 10 + pc->operand;
    NEXT;
out:
    return a;
}

/* A table on the stack, a pointer live across a location, and the same label twice. */
static int local_table(int n)
{
    void *const table[] = {&&zero, &&one, &&one, &&other};
    void *back;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        back = i % 2 ? &&behind : &&beside;
        goto *table[i < 3 ? i : 3];
    zero:
        sum += tick(1);
        goto *back;
    one:
        sum += tick(10);
        goto *back;
    other:
        sum += 100 * tick(i);
        goto *back;
    beside:
        sum *= 2;
    behind:;
#pragma pc3 checkpoint
    }
    return sum;
}

/* Static tables: one used in place, one copied, one of differences. */
static int static_tables(const unsigned char *code)
{
    static void *const in_place[] = {&&push, &&pop, &&end};
    static void *copied[] = {&&push_more, &&pop, &&end};
    static const int differences[] = {&&push - &&push, &&pop - &&push, &&end - &&push};
    void **table = copied;
    int stack[16], top = 0, sum = 0;
    memset(stack, 0, sizeof stack);
    goto *in_place[*code];
push_more:
    stack[top++] = tick(100);
push:
    stack[top++] = tick(*code);
    code++;
    if (top & 1)
        goto *table[*code];
    goto *in_place[*code];
pop:
    sum = sum * 3 + stack[--top];
    code++;
#pragma pc3 checkpoint
    goto *(&&push + differences[*code]);
end:
    return sum + (int)(sizeof in_place / sizeof in_place[0]);
}

/* Labels given away by a function that reaches no location, and kept in a global. */
static void *kept[2];

static int given(int which)
{
    if (which < 0) {
        kept[0] = &&first;
        kept[1] = &&second;
        return 0;
    }
    goto *kept[which];
first:
    return 11;
second:
    return 22;
}

int main(void)
{
    static const unsigned char code[] = {0, 0, 1, 0, 0, 1, 1, 2};
    show("threaded", threaded("5+*-+7*"));
    show("local", local_table(7));
    show("static", static_tables(code));
    given(-1);
    for (int i = 0; i < 4; i++) {
#pragma pc3 checkpoint
        show("given", given(i & 1));
    }
    return finish();
}
