#include <pc3.h>
#include <stdarg.h>
#include <stdlib.h>
static va_list kept;
static int heap(int n, ...) {
    va_list *list = malloc(sizeof *list);
    va_start(*list, n);
    pc3_checkpoint();
    n = va_arg(*list, int);
    va_end(*list);
    free(list);
    return n;
}
static int global(int n, ...) {
    va_list list;
    va_start(list, n);
    va_copy(kept, list);
    va_end(list);
    pc3_checkpoint();
    return n;
}
int main(void) { return heap(1, 2) + global(3, 4); }
