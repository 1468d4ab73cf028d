#include <pc3.h>
#include <stdarg.h>
static int sum(int n, ...) {
    va_list list;
    int s = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++) {
        pc3_checkpoint();
        s += va_arg(list, int);
    }
    va_end(list);
    return s;
}
int main(int argc, char **argv, char **env) {
    int n = sum(2, 1, 2);
    while (*env)
        n += **env++;
    return n + argc + argv[0][0];
}
