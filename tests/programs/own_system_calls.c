/* pc3-test: seq */
/* Functions of the program with the names of ones that a checkpoint needs from the C library. */
#include <pc3.h>

int printf(const char *, ...);

typedef struct door {
    int open, width;
    char name[8];
} door;

static int calls;

/* As in programs older than POSIX: other arguments, other results. */
door *open(door *d, int width)
{
    calls++;
    d->open = 1;
    d->width = width;
    return d;
}
int close(door *d)
{
    calls++;
    d->open = 0;
    return d->width;
}
int read(const door *d, int i)
{
    calls++;
    return d->name[i];
}
void write(door *d, int i, int letter)
{
    calls++;
    d->name[i] = (char)letter;
}
int mkdir(int a) { return calls += a; }
int rename(int a, int b) { return calls += a * b; }
int unlink(int a) { return calls -= a; }
int fcntl(int a) { return a + 1; }
int mmap(int a) { return a + 2; }
int munmap(int a) { return a + 3; }
int sigaction(int a) { return a + 4; }
int environ = 5, tzname = 6;
int clock_gettime(int a) { return a + 7; }
int getpid(void) { return 8; }
int raise(int a) { return a + 9; }

/* As the library has them, which may itself use them. */
__SIZE_TYPE__ strlen(const char *s)
{
    __SIZE_TYPE__ n = 0;
    while (s[n])
        n++;
    return n;
}
void *memcpy(void *to, const void *from, __SIZE_TYPE__ n)
{
    volatile char *t = to;
    const volatile char *f = from;
    while (n--)
        *t++ = *f++;
    return to;
}
/* Under another name, too. */
int lseek(int a) { return a * 3; }
int seek(int a) __attribute__((alias("lseek")));

int main(void)
{
    door doors[2] = {{0, 0, "left"}, {0, 0, "right"}}, copy;
    int (*chosen)(int) = lseek;
    for (int i = 0; i < 5; i++) {
        door *d = open(&doors[i & 1], i);
        write(d, 0, 'a' + i);
        pc3_checkpoint();
        memcpy(&copy, d, sizeof copy);
        printf("%d %s %c %d\n", i, copy.name, read(d, 1), (int)strlen(d->name));
        printf("%d\n", close(d));
        printf("%d\n", mkdir(1));
        printf("%d\n", rename(2, i) + 100 * chosen(i));
        printf("%d %d\n", unlink(1), seek(i) + environ + tzname);
        printf("%d %d %d %d %d %d\n", fcntl(i), mmap(i), munmap(i), sigaction(i), clock_gettime(i), getpid() + raise(i));
    }
    printf("%d\n", calls > 20);
    return 0;
}
