#include <pc3.h>
#include <pthread.h>
union value { long n; double d; } value;
static void *work(void *p) { return p; }
int main(void) {
    pthread_t t;
    value.d = 1, value.n = 1;
    if (pthread_create(&t, 0, work, 0) == 0)
        pthread_join(t, 0);
    pc3_checkpoint();
    return (int)value.n;
}
