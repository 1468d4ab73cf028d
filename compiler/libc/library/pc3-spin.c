/* Spinning locks: the C library has another number for a free one on each architecture. */

int pthread_spin_init(volatile int *, int) __asm__("pc3_pthread_spin_init");
int pthread_spin_destroy(volatile int *) __asm__("pc3_pthread_spin_destroy");
int pthread_spin_lock(volatile int *) __asm__("pc3_pthread_spin_lock");
int pthread_spin_trylock(volatile int *) __asm__("pc3_pthread_spin_trylock");
int pthread_spin_unlock(volatile int *) __asm__("pc3_pthread_spin_unlock");

enum { BUSY = 16 };

int pthread_spin_init(volatile int *lock, int shared)
{
    (void)shared;
    __sync_lock_release(lock);
    return 0;
}

int pthread_spin_destroy(volatile int *lock)
{
    (void)lock;
    return 0;
}

int pthread_spin_trylock(volatile int *lock)
{
    return __sync_lock_test_and_set(lock, 1) ? BUSY : 0;
}

int pthread_spin_lock(volatile int *lock)
{
    while (__sync_lock_test_and_set(lock, 1))
        while (*lock)
            ;
    return 0;
}

int pthread_spin_unlock(volatile int *lock)
{
    __sync_lock_release(lock);
    return 0;
}
