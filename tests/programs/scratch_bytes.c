/* pc3-test: seq */
/* Bytes of numbers in memory that a function has for itself, and that no checkpoint holds. */
#include "check.h"

typedef int compare(const void *, const void *);

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(void *base, int n, int size, compare *f)
{
    char *one = malloc(size), *all = base;
    for (int i = 1; i < n; i++) {
        int k = i;
        memcpy(one, all + i * size, size);
        for (; k > 0 && f(all + (k - 1) * size, one) > 0; k--)
            memcpy(all + k * size, all + (k - 1) * size, size);
        memcpy(all + k * size, one, size);
    }
    free(one);
}

int main(void)
{
    double v[20];
    for (int i = 0; i < 12; i++) {
#pragma pc3 checkpoint
        for (int k = 0; k < 20; k++)
            v[k] = (k * 7 + i) % 20;
        sort(v, 20, sizeof v[0], by_value);
        show_real("v", v[i]);
    }
    return finish();
}
