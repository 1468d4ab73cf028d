/* pc3-test: seq */
/* Names that this file defines weakly: where the other file has them too, that one's are meant, and these are what is left of the rest. */
#include "../check.h"

int counted = -1;
static int nothing(int n) { (void)n; return -1; }
extern int by_alias(int) __attribute__((weak, alias("nothing")));
int by_definition(int n) __attribute__((weak));
int by_definition(int n)
{
#pragma pc3 checkpoint
    return -n;
}
int by_pragma(int n);
#pragma weak by_pragma = nothing
extern int left_alone(int) __attribute__((weak, alias("doubled")));
static int doubled(int n)
{
#pragma pc3 checkpoint
    return 2 * n;
}
__attribute__((weak)) int here_only(int n)
{
    int before = n + 1;
#pragma pc3 checkpoint
    return before * counted;
}

int main(void)
{
    int (*chosen)(int) = by_definition;
    show("alias", by_alias(3));
    show("definition", by_definition(4));
    show("pragma", by_pragma(5));
    show("pointer", chosen(6));
    show("left alone", left_alone(7));
    show("here only", here_only(8));
    return finish();
}
