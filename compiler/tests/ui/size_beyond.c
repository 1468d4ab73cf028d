// Sizes in what is no integer variable of its own: floating-point numbers, and what waits for a call.
#include <pc3.h>
struct node { struct node *next; int key; };
static double used;
static unsigned long next(unsigned long n) { pc3_checkpoint(); return n; }
int main(void) {
    unsigned long n = 2, whole;
    used += n * sizeof(struct node);
    used += n * sizeof(struct node) / (double)sizeof(struct node);
    whole = sizeof(struct node) * next(3);
    n = n * sizeof(struct node) + (next(5) && n++);
    for (whole = 0; whole < sizeof(struct node); whole++) n ^= whole;
    return (int)(used + next(n));
}
