/* pc3-test: seq abi=own */
/* Private memory that the program maps is its own like any other; what it carves out of it has no type. */
#define _GNU_SOURCE
#include "check.h"
#include <sys/mman.h>

struct node {
    struct node *next;
    int value;
};

static char *start, *top;

static void *carve(size_t bytes)
{
    void *p = top;
    top += (bytes + 15) & ~(size_t)15;
    return p;
}

static struct node *list(int n)
{
    struct node *head = NULL;
    for (int i = 0; i < n; i++) {
        struct node *new = carve(sizeof *new);
        new->value = i * i;
        new->next = head;
        head = new;
        if (i % 5 == 0) {
#pragma pc3 checkpoint
        }
    }
    return head;
}

int main(void)
{
    size_t size = 1 << 16;
    start = top = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    show("aligned", ((unsigned long)start & 4095) == 0 && start[size - 1] == 0);
    long *numbers = mmap(NULL, 100 * sizeof *numbers, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    struct node *l = list(20);
#pragma pc3 checkpoint
    for (; l; l = l->next)
        show("value", l->value);
    numbers = mremap(numbers, 100 * sizeof *numbers, 2000 * sizeof *numbers, MREMAP_MAYMOVE);
    numbers[1999] = 7;
    show("moved", numbers[99] + numbers[1000] + numbers[1999]);
    show("protected", mprotect(start, 4096, PROT_NONE));
    /* No checkpoint here. */
#pragma pc3 checkpoint
    show("protected", mprotect(start, 4096, PROT_READ | PROT_WRITE));
#pragma pc3 checkpoint
    show("still", numbers[1999] + start[0]);
    show("unmapped", munmap(start, size) + munmap(numbers, 2000 * sizeof *numbers));
#pragma pc3 checkpoint
    return finish();
}
