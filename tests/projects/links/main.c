/* What the cases of suites/links.rs link in many ways: counts in three units, two of them with a static of one name. */
#include <stdio.h>
#include <stdlib.h>

int step(int i);
int counter;

int main(void) {
    int sum = 0, *last = &sum;
    for (int i = 0; i < 6; i++) {
        *last += step(i);
        counter++;
#pragma pc3 checkpoint
    }
    printf("%d %d\n", sum, counter);
    return 0;
}
