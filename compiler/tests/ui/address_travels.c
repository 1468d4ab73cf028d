#include <pc3.h>
#include <stdint.h>
#include <string.h>
struct cell { int *to; };
struct packed { uint64_t word; int n; };
static uintptr_t hidden;
static int first, second, third, fourth;
static void keep(uintptr_t x) { hidden = x; }
static uintptr_t of(int *p) { return (uintptr_t)p; }
static int *back(uintptr_t x) { return (int *)x; }
int main(void) {
    struct cell c = { &second };
    struct packed s = { 0, 1 };
    uintptr_t start = (uintptr_t)&third, end = (uintptr_t)(&third + 1), size = end - start;
    uint64_t word = (uint64_t)of(&fourth);
    keep((uintptr_t)&first);
    memcpy(&s, &c, sizeof c);
    pc3_checkpoint();
    return *back(hidden) + (int)(s.word + size) + *(int *)word;
}
