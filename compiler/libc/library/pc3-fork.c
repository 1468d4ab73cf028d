/* Functions for fork to call: with the C library they would be this process's alone. */

int pc3_child(const char *, const char *, int);
int *__errno_location(void);
int fork_process(void) __asm__("fork");

int pthread_atfork(void (*)(void), void (*)(void), void (*)(void)) __asm__("pc3_pthread_atfork");
int fork(void) __asm__("pc3_fork");

enum { MOST = 256, NO_MEMORY = 12 };

static struct pc3_at_fork {
    void (*before)(void), (*in_parent)(void), (*in_child)(void);
} list[MOST];
static int count;

int pthread_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    if (count == MOST)
        return NO_MEMORY;
    list[count].before = before;
    list[count].in_parent = in_parent;
    list[count].in_child = in_child;
    count++;
    return 0;
}

int fork(void)
{
    int n = count, child, error;
    for (int i = n; i > 0; i--)
        if (list[i - 1].before)
            list[i - 1].before();
    child = pc3_child("fork", 0, fork_process());
    error = *__errno_location();
    for (int i = 0; i < n; i++) {
        if (child != 0 && list[i].in_parent)
            list[i].in_parent();
        if (child == 0 && list[i].in_child)
            list[i].in_child();
    }
    *__errno_location() = error;
    return child;
}
