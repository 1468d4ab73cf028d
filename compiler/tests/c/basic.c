#include <stdio.h>
void pc3_checkpoint(void);
static double work(double *a, int i) {
    pc3_checkpoint();
    return a[i] * 2 + i;
}
double step(double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += work(a, i);
    pc3_checkpoint();
    return s;
}
int fib(int n) {
    if (n < 2) {
        pc3_checkpoint();
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}
int main(int argc, char **argv) {
    static double a[10];
    for (int i = 0; i < 10; i++) a[i] = i * 1.5;
    printf("%g\n", step(a, 10));
    printf("%d\n", fib(7));
    return argc > 5 ? 1 : 0;
}
