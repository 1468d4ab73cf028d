/* pc3-test: seq */
/* A size that has gone the whole way through the program, before the checkpoint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    long long n;
};

static struct node *stack;

static size_t size_of(const char *what) { return *what == 'n' ? sizeof(struct node) + strlen(what) : strlen(what); }

static void push(long long n) {
    struct node *one = calloc(1, sizeof *one);
    one->n = n;
    one->next = stack;
    stack = one;
}

int main(int argc, char **argv) {
    push((long long)size_of(argc > 5 ? argv[1] : "n"));
#pragma pc3 checkpoint
    printf("%d\n", stack->n == 1 + sizeof(struct node));
    return 0;
}
