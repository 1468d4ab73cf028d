/* pc3-test: seq flags=-pthread */
/* Mutexes and their like, held, used and unused, and what threads keep under keys. */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_key_t key, other;
static int made, waits;

struct all {
    char name[5];
    pthread_mutex_t checked;
    pthread_spinlock_t spin;
    sem_t sem;
    pthread_barrier_t barrier;
    mtx_t mtx;
    long after;
};

static void make(void)
{
    made++;
}

static void mutexes(void)
{
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
#pragma pc3 checkpoint
    show("plain", pthread_mutex_trylock(&plain) == EBUSY);
    show("again", pthread_mutex_trylock(&again));
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&again);
#pragma pc3 checkpoint
    show("again", pthread_mutex_unlock(&again));
    show("free", pthread_mutex_unlock(&again) == EPERM);
    show("plain", pthread_mutex_unlock(&plain));
    show("plain", pthread_mutex_lock(&plain));
    pthread_mutex_unlock(&plain);
    pthread_once(&once, make);
#pragma pc3 checkpoint
    pthread_once(&once, make);
    show("made", made);
    show("free", pthread_mutex_trylock(&again));
    pthread_mutex_unlock(&again);
}

static void readers(void)
{
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_rdlock(&rw);
#pragma pc3 checkpoint
    show("write", pthread_rwlock_trywrlock(&rw) == EBUSY);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_wrlock(&rw);
#pragma pc3 checkpoint
    show("read", pthread_rwlock_tryrdlock(&rw) == EBUSY);
    show("again", pthread_rwlock_wrlock(&rw) == EDEADLK);
    pthread_rwlock_unlock(&rw);
    show("read", pthread_rwlock_rdlock(&rw));
    pthread_rwlock_unlock(&rw);
    show("write", pthread_rwlock_trywrlock(&rw));
    pthread_rwlock_unlock(&rw);
}

static void *helper(void *arg)
{
    struct all *a = arg;
    pthread_setspecific(key, a);
    pthread_mutex_lock(&plain);
    waits = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&plain);
    pthread_barrier_wait(&a->barrier);
    sem_post(&a->sem);
    return pthread_getspecific(key);
}

static void threads(struct all *a)
{
    pthread_t t;
    void *result;
    waits = 0;
    pthread_create(&t, NULL, helper, a);
    pthread_mutex_lock(&plain);
    while (!waits)
        pthread_cond_wait(&cond, &plain);
    pthread_mutex_unlock(&plain);
    pthread_barrier_wait(&a->barrier);
    pthread_join(t, &result);
    show("joined", result == a);
}

static void objects(struct all *a)
{
    pthread_mutexattr_t attr;
    int value;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&a->checked, &attr);
    pthread_spin_init(&a->spin, PTHREAD_PROCESS_PRIVATE);
    sem_init(&a->sem, 0, 3);
    pthread_barrier_init(&a->barrier, NULL, 2);
    mtx_init(&a->mtx, mtx_plain | mtx_recursive);
    a->after = 77;
    threads(a);
#pragma pc3 checkpoint
    pthread_mutex_lock(&a->checked);
    pthread_spin_lock(&a->spin);
    sem_wait(&a->sem);
    mtx_lock(&a->mtx);
#pragma pc3 checkpoint
    show("checked", pthread_mutex_lock(&a->checked) == EDEADLK);
    show("checked", pthread_mutex_unlock(&a->checked));
    show("spin", pthread_spin_trylock(&a->spin) == EBUSY);
    pthread_spin_unlock(&a->spin);
    show("mtx", mtx_trylock(&a->mtx) == thrd_success);
    sem_getvalue(&a->sem, &value);
    show("value", value);
    threads(a);
#pragma pc3 checkpoint
    show("spin", pthread_spin_trylock(&a->spin));
    sem_getvalue(&a->sem, &value);
    show("value", value);
    mtx_unlock(&a->mtx);
    mtx_unlock(&a->mtx);
    show("after", a->after);
}

static void keys(void)
{
    static int values[3] = {5, 6, 7};
    pthread_key_create(&key, NULL);
    pthread_key_create(&other, free);
    pthread_setspecific(key, values + 1);
    pthread_setspecific(other, strdup("kept"));
#pragma pc3 checkpoint
    show("value", *(int *)pthread_getspecific(key));
    show_text("value", pthread_getspecific(other));
    free(pthread_getspecific(other));
    pthread_key_delete(other);
#pragma pc3 checkpoint
    show("gone", pthread_setspecific(other, NULL) == EINVAL);
}

int main(void)
{
    struct all *a = malloc(sizeof *a);
    if (!a)
        return 1;
    strcpy(a->name, "four");
    mutexes();
    readers();
    keys();
    objects(a);
    show_text("name", a->name);
    show("value", *(int *)pthread_getspecific(key));
    free(a);
    return finish();
}
