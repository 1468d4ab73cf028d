/* pc3-test: seq */
/* Nested functions (GNU C) in functions that reach no location; their allocations and variables move all the same. */
#include "check.h"

struct node {
    int value;
    struct node *next;
};

static struct node *list;
static int made;

static int collect(const int *values, int n)
{
    __label__ full;
    int sum = 0;
    auto struct node *fresh(int value);
    int push(int value)
    {
        static int pushed;
        if (made == 12)
            goto full;
        list = fresh(value);
        sum += value;
        return ++pushed;
    }
    struct node *fresh(int value)
    {
        struct node *p = malloc(sizeof *p);
        if (!p)
            abort();
        p->value = value;
        p->next = list;
        made++;
        return p;
    }
    int old_style(a, b)
        int a;
        const char *b;{
        return a + (int)strlen(b);
    }
    for (int i = 0; i < n; i++)
        sum += push(old_style(values[i], "ab"));
    return sum;
full:
    return -sum;
}

static int total(void)
{
    int sum = 0;
    for (const struct node *p = list; p; p = p->next)
        sum = sum * 3 + p->value;
    return sum;
}

int main(void)
{
    static const int values[] = {3, 1, 4, 1, 5};
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        show("collected", collect(values, 5));
#pragma pc3 checkpoint
        show("total", total());
    }
    show("made", made);
    return finish();
}
