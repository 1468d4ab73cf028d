#include "a.h"
static int hidden = 7;
static int local(int k) { return hidden += k; }
double table[4] = { 1, 2, 3, 4 };
int main(void) { int r = twice(3); r += local(2) + hook(1); report("main"); printf("%d %d %d\n", r, hidden, shared_count); return 0; }
