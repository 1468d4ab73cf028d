#include "shared.h"
int other(int k) { return c99(k) + c99(k + 1); }
double use(struct acc *a) { add(a, 2.5); return adder(a, 1) * 2 + c99(2); }
