/* What threads keep under keys.  The program's own thread, or each rank's, is the only one at a checkpoint: its values are
 * variables of the program; those of other threads lie in the C library. */

typedef __typeof__(sizeof 0) size;

int pc3_on_rank(void);

unsigned long long pc3_kept_outside(void *);
void *pc3_outside(unsigned long long);
void pc3_forget_outside(unsigned long long);

int native_create(unsigned *, void (*)(void *)) __asm__("pthread_key_create");
int native_delete(unsigned) __asm__("pthread_key_delete");
int native_set(unsigned, const void *) __asm__("pthread_setspecific");
void *native_get(unsigned) __asm__("pthread_getspecific");

int pthread_key_create(unsigned *, void (*)(void *)) __asm__("pc3_pthread_key_create");
int pthread_key_delete(unsigned) __asm__("pc3_pthread_key_delete");
int pthread_setspecific(unsigned, const void *) __asm__("pc3_pthread_setspecific");
void *pthread_getspecific(unsigned) __asm__("pc3_pthread_getspecific");
int tss_create(unsigned *, void (*)(void *)) __asm__("pc3_tss_create");
void tss_delete(unsigned) __asm__("pc3_tss_delete");
int tss_set(unsigned, void *) __asm__("pc3_tss_set");
void *tss_get(unsigned) __asm__("pc3_tss_get");

enum { MOST = 1024, TRY_AGAIN = 11, INVALID = 22 };

static struct pc3_key {
    int used;
    unsigned native;
    /* In other processes 0: the C library's key is to be made. */
    unsigned long long number;
    void (*end)(void *);
    const void *value;
} keys[MOST];

static int lock;

static void enter(void)
{
    while (__sync_lock_test_and_set(&lock, 1))
        ;
}

static void leave(void)
{
    __sync_lock_release(&lock);
}

/* The C library's key, for threads that are no ranks. */
static int native(struct pc3_key *k)
{
    int failed = 0;
    enter();
    if (!pc3_outside(k->number)) {
        failed = native_create(&k->native, k->end);
        if (!failed)
            k->number = pc3_kept_outside(k);
    }
    leave();
    return failed;
}

int pthread_key_create(unsigned *into, void (*end)(void *))
{
    unsigned i;
    enter();
    for (i = 0; i < MOST && keys[i].used; i++)
        ;
    if (i < MOST) {
        keys[i].used = 1;
        keys[i].number = 0;
        keys[i].end = end;
        keys[i].value = 0;
        *into = i;
    }
    leave();
    return i < MOST ? 0 : TRY_AGAIN;
}

int pthread_key_delete(unsigned i)
{
    if (i >= MOST || !keys[i].used)
        return INVALID;
    if (pc3_outside(keys[i].number)) {
        native_delete(keys[i].native);
        pc3_forget_outside(keys[i].number);
    }
    keys[i].used = 0;
    keys[i].value = 0;
    return 0;
}

int pthread_setspecific(unsigned i, const void *value)
{
    int failed;
    if (i >= MOST || !keys[i].used)
        return INVALID;
    if (pc3_on_rank()) {
        keys[i].value = value;
        return 0;
    }
    failed = native(&keys[i]);
    return failed ? failed : native_set(keys[i].native, value);
}

void *pthread_getspecific(unsigned i)
{
    if (i >= MOST || !keys[i].used)
        return 0;
    if (pc3_on_rank())
        return (void *)keys[i].value;
    return native(&keys[i]) ? 0 : native_get(keys[i].native);
}

int tss_create(unsigned *into, void (*end)(void *))
{
    return pthread_key_create(into, end) ? 2 : 0;
}

void tss_delete(unsigned i)
{
    pthread_key_delete(i);
}

int tss_set(unsigned i, void *value)
{
    return pthread_setspecific(i, value) ? 2 : 0;
}

void *tss_get(unsigned i)
{
    return pthread_getspecific(i);
}
