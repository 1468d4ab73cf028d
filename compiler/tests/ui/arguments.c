#include <pc3.h>
#include <stdarg.h>
struct pair { int a, b; } __attribute__((aligned(16)));
static int first(int n, ...) {
    va_list list;
    pc3_checkpoint();
    va_start(list, n);
    n = va_arg(list, int);
    va_end(list);
    return n;
}
static int next(va_list *list) {
    int n = va_arg(*list, int);
    pc3_checkpoint();
    return n;
}
static int rest(int n, va_list list) {
    pc3_checkpoint();
    return n + va_arg(list, int);
}
static int lent(int n, va_list list) {
    va_list *p = (void *)&list;
    pc3_checkpoint();
    return n + next(p);
}
static int pointed(int n, ...) {
    va_list list, *p = &list;
    va_start(list, n);
    n = next(p) + rest(1, *p) + lent(1, *p);
    va_end(list);
    return n;
}
int main(void) {
    struct pair p = { 1, 2 };
    return first(1, 2) + first(2, p) + pointed(1, 2);
}
