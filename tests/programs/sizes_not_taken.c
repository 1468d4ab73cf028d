/* pc3-test: seq */
/* Values of an interpreter that may be sizes, and are none in this run: the code that would put one there has not run. */
#include "check.h"

#include <string.h>

struct node {
    struct node *next;
    long long n;
};

struct block {
    size_t size;
    char text[24];
};

static struct node *stack;
static double average;
static long long first, last;
static int most;

static size_t size_of(const char *what)
{
    if (!strcmp(what, "node"))
        return sizeof(struct node);
    if (!strcmp(what, "both"))
        return sizeof(struct node) + sizeof(struct block);
    return strlen(what);
}

/* No further than a size. */
static int upto(const char *text)
{
    int n = 0;
    while (n < (int)sizeof(struct node) && text[n])
        n++;
    return n;
}

static long long number(const char *text, long long otherwise)
{
    return *text ? strtoll(text, NULL, 10) : otherwise;
}

static void push(long long n)
{
    struct node *one = malloc(sizeof *one);
    one->n = n;
    one->next = stack;
    stack = one;
}

static long long pop(void)
{
    struct node *one = stack;
    long long n = one->n;
    stack = one->next;
    free(one);
    return n;
}

static void run(const char *op)
{
    if (*op == '+')
        push(pop() + pop());
    else if (*op == '#' && op[1] == '#')
        push((long long)size_of(op + 2));
    else if (*op == '#')
        push((long long)strlen(op + 1));
    else if (*op == '<')
        push(upto(op + 1));
    else if (*op == '?')
        push(number(op + 1, (long long)sizeof(struct block)));
    else
        push(number(op, 1));
}

static int length(const char *text)
{
    int n = (int)last;
#pragma pc3 checkpoint
    return n + (int)strlen(text);
}

int main(int argc, char **argv)
{
    static const char *const program[] = {"12", "#abc", "+", "30", "+", "#text", "+", "7", "+", "<few", "+", "", "+"};
    for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
        run(argc > 5 ? argv[1] : program[i]);
        last = pop();
        push(last);
        if (i == 0)
            first = last;
        average = (average * (double)i + (double)last) / (double)(i + 1);
        most += length("ab");
#pragma pc3 checkpoint
        show("last", last);
        show("average", (long long)(average * 16));
        show("most", most);
    }
    show("first", first);
    while (stack)
        show("left", pop());
    return finish();
}
