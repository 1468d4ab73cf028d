#define _GNU_SOURCE
#include <dlfcn.h>
#include <pc3.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    pthread_mutexattr_t kinds;
    timer_t timer;
    pthread_mutexattr_init(&kinds);
    pthread_mutexattr_setrobust(&kinds, PTHREAD_MUTEX_ROBUST);
    pc3_checkpoint();
    return eventfd(0, 0) + !getpwent() + !dlopen("lib.so", RTLD_NOW) + setuid(1) + timer_create(CLOCK_REALTIME, 0, &timer);
}
