/* pc3-test: seq */
/* Library functions that pc3 stands in for, called without a declaration as C89 allows; an array whose values are left overs. */
#include "check.h"

struct link {
    struct link *next;
    long value;
};

__attribute__((noinline)) static long dirty(struct link *p)
{
    struct link *copies[64];
    for (int i = 0; i < 64; i++)
        copies[i] = p;
    __asm__ volatile("" : : "r"(copies) : "memory");
    return copies[7]->value;
}

__attribute__((noinline)) static long fill(int n)
{
    unsigned char unused[600];
    for (int i = 0; i < n; i++)
        unused[i] = (unsigned char)i;
    long sum = 0;
#pragma pc3 checkpoint
    for (int i = 0; i < n; i++)
        sum += unused[i];
    return sum;
}

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 6; i++) {
        struct link *p = malloc(sizeof *p);
        p->next = 0;
        p->value = i;
        sum += dirty(p);
        sum += fill(40 * i);
        free(p);
        sum += close(-1);
        char *text;
        sum += asprintf(&text, "%d of %s", i, "six");
        sum += text[0];
        free(text);
    }
    printf("%ld\n", sum);
    return 0;
}
