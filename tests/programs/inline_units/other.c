#include "shared.h"

extern int tentative;

int before(a, b)
    int a, b;
{
    return internal(a) * b + tentative;
}

int later(int n)
{
    int sum = 0;
    while (n-- > 0)
        sum += standard(n);
    return sum;
}
