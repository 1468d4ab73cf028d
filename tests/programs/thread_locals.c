/* pc3-test: seq */
/* Thread-local variables of a program with one thread: static, with linkage, in a function, with pointers to and from them. */
#include "check.h"

struct item {
    int value;
    struct item *next;
};

static __thread int count = 3;
_Thread_local double real = 0.5;
static __thread struct item first;
static __thread struct item *list = NULL;
static int *outside;
extern __thread int late;

static int *counter(void)
{
    static __thread int calls;
    calls++;
    return &calls;
}

static void step(int i)
{
    struct item *p = malloc(sizeof *p);
    if (!p)
        abort();
    p->value = i + *counter();
    p->next = list;
    list = p;
#pragma pc3 checkpoint
    count += list->value;
    real = real * 1.5 + count;
    first.value += *outside;
    late ^= first.value;
}

int main(void)
{
    list = &first;
    outside = &count;
    for (int i = 0; i < 8; i++) {
        int *calls = counter();
#pragma pc3 checkpoint
        step(i);
        *calls += 2;
        show("count", count);
        show_real("real", real);
    }
    for (struct item *p = list; p; p = p->next) {
        show("item", p->value);
        if (p == &first)
            show_text("item", "is the first");
    }
    show("late", late);
    return finish();
}

__thread int late = 77;
