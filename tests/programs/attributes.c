/* pc3-test: seq */
/* Attributes on functions with locations: noreturn, pure, const; aliases; cleanup functions; main's environment. */
#include "check.h"

#include <setjmp.h>

static jmp_buf back;
static int opened;

__attribute__((noreturn)) static void fail(int code);
_Noreturn static void loop(int n);

static int finish_or_fail(int n)
{
    if (n % 2)
        return n;
    fail(n);
}

static void fail(int code)
{
    int twice = code * 2;
#pragma pc3 checkpoint
    longjmp(back, twice + 1);
}

static void loop(int n)
{
    for (int i = 0;; i++) {
#pragma pc3 checkpoint
        if (i == n)
            fail(i);
    }
}

__attribute__((const)) static int square(int x)
{
#pragma pc3 checkpoint
    return x * x;
}

static int __attribute__((__pure__, cold)) text_length(const char *s)
{
#pragma pc3 checkpoint
    return (int)strlen(s);
}

int other_name(int x) __attribute__((alias("real_name")));

int real_name(int x)
{
    int y = x + 1;
#pragma pc3 checkpoint
    return y;
}

static void close_it(int *p)
{
    show("close", *p);
    opened--;
    *p = -1;
}

static void release(char **p)
{
    free(*p);
}

static int scopes(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int handle __attribute__((cleanup(close_it))) = i * 10;
        char *room __attribute__((__cleanup__(release))) = malloc(8);
        opened++;
        memcpy(room, "1234567", 8);
#pragma pc3 checkpoint
        if (i == 1)
            continue;
        if (i == 3)
            return sum * 100 + room[0];
        {
            int inner __attribute__((cleanup(close_it))) = handle + 1;
            opened++;
#pragma pc3 checkpoint
            sum += inner;
        }
        sum += opened + room[i];
    }
    return sum;
}

int main(int argc, char **argv, char **envp)
{
    int (*volatile through)(int) = other_name;
    int code, count = 0;
    (void)argv;
    code = setjmp(back);
    if (code == 0)
        show("odd", finish_or_fail(argc));
    if (code < 5)
        show("never", finish_or_fail(argc * 4 + code / 4));
    if (code == 9)
        loop(7);
    show("code", code);
    show("square", square(3) + square(3));
    show("length", text_length("length"));
    show("other", other_name(4) + through(5));
    show("scopes", scopes(5));
    show("opened", opened);
#pragma pc3 checkpoint
    while (envp[count])
        count++;
    show("environment", count >= 0);
    return finish();
}
