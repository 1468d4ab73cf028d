/* pc3-test: seq */
/* setjmp and longjmp around locations: protected calls, retries, buffers in globals, on the heap and copied. */
#include "check.h"

#include <setjmp.h>

struct handler {
    struct handler *outer;
    jmp_buf at;
    volatile int status;
};

static struct handler *current;
static int depth_reached;

static void throw(int status)
{
    if (!current) {
        puts("nobody catches");
        exit(1);
    }
    current->status = status;
    longjmp(current->at, 1);
}

/* The shape of lua's protected call. */
static int protect(void (*f)(int), int x)
{
    struct handler h;
    h.status = 0;
    h.outer = current;
    current = &h;
    if (setjmp(h.at) == 0)
        f(x);
    current = h.outer;
    return h.status;
}

static void deep(int n)
{
    int before = n * 3;
    int list[4] = { n, n + 1, n + 2, n + 3 };
    if (n == 0) {
#pragma pc3 checkpoint
        throw(7);
    }
    int got = protect(deep, n - 1);
#pragma pc3 checkpoint
    depth_reached += before + list[n % 4];
    show("caught", got);
    if (n % 3 == 2)
        throw(got + n);
}

static jmp_buf loop;

static int retry(void)
{
    volatile int tries = 0;
    int kept = 41, code;
    code = setjmp(loop);
    tries++;
#pragma pc3 checkpoint
    if (tries < 5)
        longjmp(loop, tries + 10);
    return kept + code + tries;
}

static void leaf(jmp_buf to, int code)
{
    char *room = malloc(100);
    memset(room, code, 100);
#pragma pc3 checkpoint
    code += room[99];
    free(room);
    longjmp(to, code);
}

static int chosen(int how)
{
    jmp_buf b;
    int a = how * 2;
    switch (setjmp(b)) {
    case 0:
        leaf(b, how);
    /* fall through */
    case 6:
#pragma pc3 checkpoint
        return 600 + a;
    default:
        return a;
    }
}

/* Two buffers of one frame, the older one used last; one of them on the heap. */
static int two(void)
{
    jmp_buf first;
    jmp_buf *second = malloc(sizeof *second);
    volatile int stage = 0;
    int result;
    if (!setjmp(first)) {
        if (setjmp(*second) != 0) {
            stage = stage * 10 + 2;
#pragma pc3 checkpoint
            longjmp(first, 3);
        }
        stage = 1;
#pragma pc3 checkpoint
        longjmp(*second, 1);
    }
    result = stage;
#pragma pc3 checkpoint
    free(second);
    return result;
}

/* The outer handler is kept in a copy while an inner one uses its place. */
static jmp_buf place;

static int inner(int n)
{
    jmp_buf saved;
    int code;
    memcpy(&saved, &place, sizeof saved);
    code = setjmp(place);
    if (code == 0) {
#pragma pc3 checkpoint
        if (n > 0)
            longjmp(place, n);
    }
    memcpy(&place, &saved, sizeof saved);
#pragma pc3 checkpoint
    longjmp(place, 100 + code);
}

static int outer(int n)
{
    int code = setjmp(place);
    if (code)
        return code;
#pragma pc3 checkpoint
    return inner(n);
}

/* Jumps that leave blocks of runtime size behind, often. */
static void wasteful(int n, jmp_buf *to)
{
    int room[n], sum = 0;
    for (int i = 0; i < n; i++)
        room[i] = i;
    int *p = room;
#pragma pc3 checkpoint
    for (int i = 0; i < n; i++)
        sum += p[i];
    longjmp(*to, sum % 1000 + 1);
}

static int often(int n)
{
    jmp_buf b;
    volatile int i = 0, sum = 0;
    int code = setjmp(b);
    sum += code;
    if (i++ < n)
        wasteful(1000 + i, &b);
    return sum;
}

/* A block with a handler of its own, which has ended. */
static int ended(int n)
{
    int r = 0;
    {
        int inside = n * 2, code = setjmp(loop);
        if (code)
            return inside + code;
        r += inside;
    }
#pragma pc3 checkpoint
    return r;
}

/* Buffers in a table, which a function finds. */
static jmp_buf stacked[3];
static int height;

static void *push(void)
{
    return stacked[height++];
}

static int nested(int n)
{
    volatile int sum = n;
    if (setjmp(push()))
        return sum + 50;
    if (n > 0)
        sum += nested(n - 1);
#pragma pc3 checkpoint
    longjmp(stacked[--height], 1);
}

int main(void)
{
    show("nested", nested(2));
    show("top", protect(deep, 10));
    show("depth", depth_reached);
    show("retry", retry());
    show("chosen", chosen(3));
    show("chosen", chosen(4));
    show("two", two());
    show("outer", outer(0));
    show("outer", outer(5));
    show("ended", ended(4));
    show("often", often(400));
    return finish();
}
