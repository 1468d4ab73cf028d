/* bsearch for comparison functions that reach a location, see pc3-qsort.c. */

typedef __typeof__(sizeof 0) size;
typedef int compare(const void *, const void *);

void *bsearch(const void *, const void *, size, size, compare *) __asm__("pc3_bsearch");

void *bsearch(const void *key, const void *array, size n, size each, compare *by)
{
    char *first = (char *)array, *second = first + each;
    size from = 0, to = n;
    while (from < to) {
        size middle = (from + to) / 2;
        char *at = first + middle * (size)(second - first);
        int order = by(key, at);
        if (order == 0)
            return at;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return 0;
}
