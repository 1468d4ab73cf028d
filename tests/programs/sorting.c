/* pc3-test: seq */
/* Locations in what qsort and bsearch call: structs of sizes that differ, equal keys, a comparison that gives up by a jump. */
#include <setjmp.h>
#include "check.h"

struct item {
    long key;
    char *name;
    struct item *next;
};

static jmp_buf giving_up;
static int asked, limit = 1000;

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    asked++;
    if (asked > limit)
        longjmp(giving_up, 1);
    if (asked % 7 == 0) {
#pragma pc3 checkpoint
        mix(asked);
    }
    return (x->key > y->key) - (x->key < y->key);
}

static int by_number(const void *a, const void *b)
{
#pragma pc3 checkpoint
    return *(const short *)a - *(const short *)b;
}

static int find(struct item *list, size_t n, long key)
{
    struct item wanted = {key, 0, 0}, *found;
    found = bsearch(&wanted, list, n, sizeof *list, by_key);
#pragma pc3 checkpoint
    return found ? (int)(found - list) : -1;
}

int main(void)
{
    struct item list[17];
    short numbers[6] = {5, -2, 9, 0, 5, -7};
    for (int i = 0; i < 17; i++) {
        list[i].key = i * 5 % 7;
        list[i].name = malloc(8);
        sprintf(list[i].name, "n%d", i);
        list[i].next = i ? &list[i - 1] : 0;
    }
    qsort(list, 17, sizeof *list, by_key);
    for (int i = 0; i < 17; i++) {
        printf("%s ", list[i].name);
        mix(list[i].key + list[i].name[1]);
    }
    show("asked", asked);
    show("found", find(list, 17, 3));
    show("found", find(list, 17, 8));
    qsort(numbers, 6, sizeof *numbers, by_number);
    for (int i = 0; i < 6; i++)
        show("number", numbers[i]);
    qsort(numbers, 1, sizeof *numbers, by_number);
    limit = asked + 5;
    if (!setjmp(giving_up))
        qsort(list, 17, sizeof *list, by_key);
    show("asked", asked);
    return finish();
}
