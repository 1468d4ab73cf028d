// run: accepted.c --annotations=accepted.txt -o ROOT/p
#include <pc3.h>
#include <stdio.h>
#include <stdlib.h>
/* Warnings that have been looked at, where they stand; others of the same kind stay. */
struct node { struct node *next; long n; };
struct head { char *text; int n; };
static size_t first, second, third, fourth;
int main(int argc, char **argv) {
#pragma pc3 accept size-kept
    first = sizeof(struct node) +
            sizeof(struct head) + argc;
    second = sizeof(struct node) + sizeof(struct head) + argc;
#pragma pc3 accept byte-order
    third = sizeof(struct node) + sizeof(struct head) + argc;
    fourth = sizeof(struct node) + sizeof(struct head) + argc;
#pragma pc3 accept sizes
    pc3_checkpoint();
#pragma pc3 accept E0505
    printf("%zu %zu %zu %zu\n", first, second, third, fourth);
    return 0;
}
