/* pc3-test: seq */
/* Tables whose keys are addresses: hashed by their bytes, within a function and by one that hashes anything, and as numbers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};
struct pair {
    struct node *a, *b;
};
static struct node *by_bytes[64], *by_pair[64], *by_number[61];

static unsigned hash(const void *of, size_t n) {
    const unsigned char *p = of;
    unsigned h = 5381;
    while (n--)
        h = h * 33 + *p++;
    return h % 64;
}
static unsigned mixed(struct node *node) {
    unsigned char *bytes = (unsigned char *)&node, c;
    unsigned h = 0;
    for (size_t i = 0; i < sizeof node; i++) {
        c = bytes[i];
        h ^= (unsigned)c << i % 5;
    }
    return h % 64;
}
static unsigned place(struct node *node, unsigned size) {
    return (uintptr_t)node % size;
}

int main(void) {
    struct node *n[3];
    for (int i = 0; i < 3; i++) {
        n[i] = malloc(sizeof *n[i]);
        n[i]->key = i;
        n[i]->next = NULL;
    }
    struct pair pair = {n[1], n[2]};
    by_bytes[mixed(n[0])] = n[0];
    by_pair[hash(&pair, sizeof pair)] = n[1];
    by_number[place(n[2], 61)] = n[2];
    printf("%u\n", hash("text", 4));
#pragma pc3 checkpoint
    printf("%d\n", by_bytes[mixed(n[0])] == n[0]);
    printf("%d\n", by_pair[hash(&pair, sizeof pair)] == n[1]);
    printf("%d\n", by_number[place(n[2], 61)] == n[2]);
    return 0;
}
