/* qsort for comparison functions that reach a location: what sorts is then part of the program.  It compares in merge
 * sort's order, as C libraries do, and moves the elements only when it knows where they belong.  While it compares it keeps
 * nothing but pointers to elements, which are right on every architecture; so the size of one is two pointers' distance. */

typedef __typeof__(sizeof 0) size;
typedef int compare(const void *, const void *);

void *malloc(size);
void free(void *);
void *memcpy(void *, const void *, size);

void qsort(void *, size, size, compare *) __asm__("pc3_qsort");

static void merge_sort(char **list, size n, char **room, compare *by)
{
    size left = n / 2, right = n - left;
    char **a = list, **b = list + left, **to = room;
    if (n < 2)
        return;
    merge_sort(a, left, room, by);
    merge_sort(b, right, room, by);
    while (left > 0 && right > 0) {
        if (by(*a, *b) <= 0) {
            *to++ = *a++;
            left--;
        } else {
            *to++ = *b++;
            right--;
        }
    }
    if (left > 0)
        memcpy(to, a, left * sizeof *a);
    memcpy(list, room, (n - right) * sizeof *room);
}

static void swap(char *a, char *b, size n)
{
    for (; n > 0; n--, a++, b++) {
        char c = *a;
        *a = *b;
        *b = c;
    }
}

/* Puts the elements into the list's order. */
static void arrange(char *first, size each, char **list, size n)
{
    char *copy = (char *)malloc(n * each);
    size i, from;
    for (i = 0; copy && i < n; i++)
        memcpy(copy + i * each, list[i], each);
    if (copy) {
        memcpy(first, copy, n * each);
        free(copy);
        return;
    }
    for (i = 0; i < n; i++) {
        from = (size)(list[i] - first) / each;
        while (from < i)
            from = (size)(list[from] - first) / each;
        swap(first + i * each, first + from * each, each);
    }
}

/* For lack of memory. */
static void insertion_sort(char *first, char *second, size n, compare *by)
{
    size i, j;
    for (i = 1; i < n; i++)
        for (j = i; j > 0 && by(first + (j - 1) * (size)(second - first), first + j * (size)(second - first)) > 0; j--)
            swap(first + (j - 1) * (size)(second - first), first + j * (size)(second - first), (size)(second - first));
}

void qsort(void *array, size n, size each, compare *by)
{
    char *first = (char *)array, *second = first + each, **list, **room;
    size i;
    if (n < 2 || each == 0)
        return;
    list = (char **)malloc(n * sizeof *list);
    room = (char **)malloc(n * sizeof *room);
    if (list && room) {
        for (i = 0; i < n; i++)
            list[i] = room[i] = first + i * each;
        merge_sort(list, n, room, by);
        arrange(first, (size)(second - first), list, n);
    } else
        insertion_sort(first, second, n, by);
    free(list);
    free(room);
}
