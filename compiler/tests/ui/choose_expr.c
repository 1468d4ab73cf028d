/* What the compiler alone can choose from is not evaluated twice, so it does nothing that matters. */
#include <pc3.h>

int step(void)
{
#pragma pc3 checkpoint
    return 1;
}

#define IS(x, t) __builtin_types_compatible_p(__typeof__(x), t)

int main(void)
{
    int a = 1;
    a = __builtin_choose_expr(IS(a, int), step(), 2);
    __builtin_choose_expr(IS(a, long), a = 3, a++);
    a = __builtin_choose_expr(IS(a, int), a + 1, 2);
    a += __builtin_choose_expr(sizeof(a) == 4, step(), 2.5);
    return a;
}
