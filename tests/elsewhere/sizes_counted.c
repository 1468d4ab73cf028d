/* pc3-test: seq */
/* Numbers that are counted up to a size. */
#include <stdio.h>

struct node {
    struct node *next;
    int key;
};

int main(void) {
    unsigned long n = 0, seen = 0, i;
    while (n < sizeof(struct node)) n++;
    for (i = 0; i < sizeof(struct node); i += 2) {
        seen++;
        if (i == 6) n += 0;
    }
    for (i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        printf("%d %d\n", n == sizeof(struct node), seen == sizeof(struct node) / 2);
    }
    return 0;
}
