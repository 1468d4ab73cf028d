// pc3cc: -fno-pc3-track-unions
#include <pc3.h>
#include <stdlib.h>
union u { int *p; long n; };
struct holder { int kind; union u value; };
union bytes { double d; unsigned char b[8]; };
union fine { int *p; char *c; struct holder *h; };
union also { float f[2]; struct { int a, b; } i; };
union u global;
union fine pointers;
union also numbers;
int main(void) {
    union u local = { .n = 1 };
    struct { union bytes x; } pun = { { 1.0 } };
    struct holder *h = malloc(sizeof *h);
    struct { union made { int *p; long n; } v; } *made = malloc(sizeof *made);
    made->v.n = 1, made->v.p = h->value.p = 0;
    pc3_checkpoint();
    h->kind = (int)local.n;
    pointers.h = h;
    return (int)global.n + pun.x.b[0] + (int)made->v.n;
}
