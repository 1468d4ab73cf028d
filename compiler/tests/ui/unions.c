#include <pc3.h>
#include <stdlib.h>
union u { int *p; long n; };
struct holder { int kind; union u value; };
union u global;
int main(void) {
    union u local = { .n = 1 };
    struct holder *h = malloc(sizeof *h);
    pc3_checkpoint();
    h->kind = (int)local.n;
    return (int)global.n;
}
