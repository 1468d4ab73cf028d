/* pc3-test: seq */
/* Atomic objects: types, <stdatomic.h>, and the compiler's builtins, with operands that reach locations. */
#include "check.h"

#include <stdatomic.h>
#include <stdbool.h>

struct pair {
    int a, b;
};

static _Atomic int counter = 5;
static atomic_long total = ATOMIC_VAR_INIT(7);
static _Atomic(struct pair) both;
static struct pair *_Atomic where;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int plain;

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static int standard(int n)
{
    _Atomic unsigned local = 3;
    _Atomic double real = 0.5;
    int old = atomic_fetch_add(&counter, tick(n));
#pragma pc3 checkpoint
    local += (unsigned)tick(old);
    real = real * 2 + tick(n);
    counter++;
    total += counter;
    atomic_store_explicit(&total, atomic_load(&total) + tick(1), memory_order_release);
    int expected = counter;
    bool swapped = atomic_compare_exchange_strong(&counter, &expected, tick(expected));
    swapped = atomic_compare_exchange_weak(&counter, &expected, tick(9)) || swapped;
#pragma pc3 checkpoint
    return (int)local * 100 + swapped * 10 + (int)real + expected;
}

static int records(void)
{
    struct pair p = {tick(1), 2}, q;
    atomic_store(&both, p);
    where = malloc(sizeof *where);
    if (!where)
        abort();
    *where = both;
#pragma pc3 checkpoint
    q = atomic_exchange(&both, ((struct pair){3, tick(4)}));
    struct pair r = both;
    q.a += where->b + r.b;
    free(where);
    where = NULL;
    return q.a * 10 + q.b + r.a;
}

static int builtins(int n)
{
    int old = __sync_fetch_and_add(&plain, tick(n));
    old += __sync_val_compare_and_swap(&plain, plain, tick(old) + 20);
    __sync_synchronize();
#pragma pc3 checkpoint
    old += __atomic_add_fetch(&plain, tick(2), __ATOMIC_SEQ_CST);
    int now = __atomic_load_n(&plain, __ATOMIC_ACQUIRE);
    __atomic_store_n(&plain, tick(now), __ATOMIC_RELEASE);
    return old * 10 + plain;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        show("standard", standard(i));
        show("records", records());
        show("builtins", builtins(i));
        show("flag", atomic_flag_test_and_set(&flag));
#pragma pc3 checkpoint
        if (i == 1)
            atomic_flag_clear(&flag);
    }
    show("total", total);
    return finish();
}
