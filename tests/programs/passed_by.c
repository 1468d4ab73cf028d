/* pc3-test: seq */
/* Functions below which locations are passed by: a library calls them, a jump leaves them, they call themselves, and one is
 * called by the program as well. What they interrupt is saved at the locations around. */
#include "check.h"
#include <search.h>
#include <setjmp.h>
#pragma pc3 no checkpoint below same
#pragma pc3 no checkpoint below same_or_out
#pragma pc3 no checkpoint below passed_by.c:nested

static jmp_buf out;
static int *kept;
static int passed;

static void keep(int *p)
{
    kept = p;
}

/* A location, with a local on the shadow stack. */
static int step(int by)
{
    int here[3] = {by, by + 1, by + 2};
    keep(here);
#pragma pc3 checkpoint
    passed += kept[1] - by;
    return here[0] + here[2] - 2 * by - 2;
}

static int same(const void *a, const void *b)
{
    const int *x = a, *y = b;
    if (step(*x))
        return 1;
#pragma pc3 checkpoint
    return *x != *y;
}

/* Leaves the library's frame, and its own, for one that is saved. */
static int same_or_out(const void *a, const void *b)
{
    if (step(*(const int *)a) || *(const int *)b == 5)
        longjmp(out, 1 + *(const int *)b);
    return 1;
}

/* Below itself, and below what the library calls in it. */
static int nested(int n)
{
    int list[3] = {n, 1, 2}, key = 2;
    size_t count = 3;
    int *found = lfind(&key, list, &count, sizeof key, same);
    return found == 0 || n == 0 ? n : (int)(found - list) + step(n) + nested(n - 1);
}

static int search(int key)
{
    int list[4] = {3, 9, 5, 7};
    size_t count = 4;
    int got = setjmp(out);
    if (got == 0)
        lfind(&key, list, &count, sizeof key, same_or_out);
    got += step(got);
    return got;
}

int main(void)
{
    int list[5] = {4, 8, 15, 16, 23};
    for (int key = 14; key < 17; key++) {
        size_t count = 5;
        int *found = lfind(&key, list, &count, sizeof key, same);
        show("found", found ? (int)(found - list) : -1);
        step(key);
        show("passed", passed);
        show("nested", nested(key - 12));
        step(key + 1);
        show("left", search(key));
        show("passed", passed);
#pragma pc3 checkpoint
    }
    return finish();
}
