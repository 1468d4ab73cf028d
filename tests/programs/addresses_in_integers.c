/* pc3-test: seq abi=own */
/* Addresses kept in integers: tagged links of a list, two of them in one word, a table keyed by addresses.  They are right
 * as long as everything is where it was. */
#include <stdint.h>
#include <stdlib.h>
#include "check.h"

struct node { uintptr_t next; int key; };
enum { N = 12, SLOTS = 64 };
static uintptr_t by_address[SLOTS];

static unsigned slot_of(uintptr_t a) {
    unsigned i = (unsigned)(a >> 4) % SLOTS;
    while (by_address[i] && by_address[i] != a) i = (i + 1) % SLOTS;
    return i;
}

int main(void) {
    struct node *ends[N], on_stack = { 0, 100 };
    uintptr_t head = (uintptr_t)&on_stack, both;
    for (int i = 0; i < N; i++) {
        struct node *n = malloc(sizeof *n);
        void *other = malloc(i * 700);
        n->key = i;
        n->next = head;
        head = (uintptr_t)n | (i & 1);
        ends[i] = n;
        by_address[slot_of((uintptr_t)n)] = (uintptr_t)n;
        both = (uintptr_t)ends[0] ^ (uintptr_t)n;
        if (i % 3) free(other);
        #pragma pc3 checkpoint
        long sum = 0;
        int length = 0, known = 0;
        for (uintptr_t p = head; p; length++) {
            struct node *q = (struct node *)(p & ~(uintptr_t)1);
            sum += q->key;
            known += by_address[slot_of((uintptr_t)q)] == (uintptr_t)q;
            p = q->next;
        }
        struct node *last = (struct node *)(both ^ (uintptr_t)ends[0]);
        printf("%d: %ld %d %d %d\n", i, sum, length, known, i ? last->key : -1);
    }
    return 0;
}
