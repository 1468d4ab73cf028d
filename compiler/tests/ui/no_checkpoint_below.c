// Below `heeded` locations are passed by: nothing is told of it, and what calls it has no point.
#include <pc3.h>
#include <pthread.h>
#include <search.h>
#pragma pc3 no checkpoint below heeded
#pragma pc3 no checkpoint below worker
#pragma pc3 no checkpoint below main
#pragma pc3 no checkpoint below missing
#pragma pc3 no checkpoint under heeded
#pragma pc3 no checkpoint below no_checkpoint_below.c:other
static int heeded(const void *a, const void *b) {
    pc3_checkpoint();
    return *(const int *)a - *(const int *)b;
}
static int unheeded(const void *a, const void *b) { return heeded(a, b); }
static int other(const void *a, const void *b) {
    pc3_checkpoint();
    return unheeded(a, b);
}
static int told(const void *a, const void *b) {
    pc3_checkpoint();
    return unheeded(a, b);
}
static void *worker(void *x) {
    pc3_checkpoint();
    return x;
}
int main(void) {
    int v[3] = {3, 1, 2}, key = 2;
    size_t n = 3;
    pthread_t thread;
    lfind(&key, v, &n, sizeof v[0], heeded);
    lfind(&key, v, &n, sizeof v[0], unheeded);
    lfind(&key, v, &n, sizeof v[0], other);
    lfind(&key, v, &n, sizeof v[0], told);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    pc3_checkpoint();
    return 0;
}
