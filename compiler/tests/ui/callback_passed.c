#include <pc3.h>
#include <search.h>
typedef int order(const void *, const void *);
static size_t three = 3;
static int plain(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int saving(const void *a, const void *b) {
    pc3_checkpoint();
    return plain(a, b);
}
/* Only ever given `plain`. */
static void sort(int *v, size_t n, order *by) { lfind(v, v, &n, sizeof *v, by); }
static void sort3(int *v, order *by) { sort(v, 3, by); }
/* Given both. */
static void any(int *v, order *by) { lfind(v, v, &three, sizeof *v, by); }
/* What it is given is not what it passes on. */
static void changed(int *v, order *by) {
    static order *const all[] = {saving};
    if (!by)
        by = all[0];
    lfind(v, v, &three, sizeof *v, by);
}
int main(void) {
    int v[3] = {3, 1, 2};
    order *volatile direct = saving;
    sort3(v, plain);
    any(v, plain);
    any(v, saving);
    changed(v, plain);
    return direct(v, v + 1) > 0;
}
