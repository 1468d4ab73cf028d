#include <stdio.h>
#include "shared.h"
extern inline int c99(int k);
int main(void) {
    struct acc a = { 0, 0 };
    for (int i = 0; i < 4; i++) { add(&a, i); a.sum += adder(&a, c99(i)) + use(&a); }
    printf("%d %g %d\n", a.n, a.sum, other(3));
    return 0;
}
