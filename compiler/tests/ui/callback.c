#include <pc3.h>
#include <search.h>
#include <stdlib.h>
#include <signal.h>
static int compare(const void *a, const void *b) {
    pc3_checkpoint();
    return *(const int *)a - *(const int *)b;
}
static void at_end(void) { pc3_checkpoint(); }
static void handler(int s) { pc3_checkpoint(); (void)s; }
int main(void) {
    int v[3] = {3, 1, 2}, key = 2;
    size_t n = 3;
    qsort(v, n, sizeof v[0], compare);
    bsearch(&key, v, n, sizeof v[0], compare);
    lfind(&key, v, &n, sizeof v[0], compare);
    atexit(at_end);
    signal(SIGTERM, handler);
    return 0;
}
