#include <pc3.h>
#include <stdarg.h>
static int first(int n, ...) {
    va_list list;
    pc3_checkpoint();
    va_start(list, n);
    n = va_arg(list, int);
    va_end(list);
    return n;
}
int main(void) { return first(1, 2); }
