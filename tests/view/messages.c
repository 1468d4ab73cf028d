#include <pc3.h>
#include <stdio.h>
static int step(int a, int b) {
    int unused = 3;
    pc3_checkpoint();
    if (a = b)
        printf("%d\n", "text");
    return a;
}
int main(void) {
    int z = step(1, 2);
    char c = 300;
    pc3_checkpoint();
    return z + c + undeclared(z);
}
int undeclared(int i) { return i; }
