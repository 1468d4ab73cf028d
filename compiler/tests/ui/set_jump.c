#include <pc3.h>
#include <setjmp.h>
static jmp_buf buffer;
static void work(int i) {
    pc3_checkpoint();
    if (i == 3)
        longjmp(buffer, 1);
}
int main(void) {
    if (setjmp(buffer))
        return 1;
    for (int i = 0;; i++)
        work(i);
}
