#include <pc3.h>
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf buffer;
static int *list;
static void work(int i) {
    pc3_checkpoint();
    if (i == 3)
        longjmp(buffer, 1);
}
int main(void) {
    int n = abs(list[1]) + setjmp(buffer);
    list[n++] = setjmp(buffer);
    n += ({ int m = setjmp(buffer); work(n); m; });
    int (*f)(struct __jmp_buf_tag *) = _setjmp;
    {
        int inside = abs(n);
        if (setjmp(buffer))
            return inside;
    }
    for (int i = 0;; i++)
        work(i);
    return f == 0;
}
