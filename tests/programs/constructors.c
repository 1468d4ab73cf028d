/* pc3-test: seq */
/* Constructors call the program's allocation wrapper before there is a rank. */
#include <stdio.h>
#include <stdlib.h>

struct item {
    struct item *next;
    int value;
};

static void *need(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        exit(1);
    return p;
}

static int checksum;

__attribute__((constructor)) static void early(void)
{
    struct item *a = need(sizeof *a);
    a->value = 17;
    a->next = need(sizeof *a->next);
    a->next->value = 4;
    checksum = a->value * a->next->value;
    free(a->next);
    free(a);
}

int main(void)
{
    struct item *list = 0;
    for (int i = 0; i < 8; i++) {
        struct item *p = need(sizeof *p);
        p->next = list;
        p->value = i * checksum;
        list = p;
#pragma pc3 checkpoint
        checksum += i;
    }
    for (; list; list = list->next)
        printf("%d\n", list->value);
    printf("%d\n", checksum);
    return 0;
}
