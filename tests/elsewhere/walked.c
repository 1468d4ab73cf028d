/* pc3-test: seq flags=-w */
/* Records one behind the other in a buffer, gone through by their size. */
#include <stdio.h>

struct record { int kind; long a; struct record *before; };
static char buffer[1000];
static char *top = buffer;

static void *emit(size_t n) {
    void *r = top;
    top += n;
    return r;
}

int main(void) {
    struct record *last = 0;
    for (int i = 0; i < 4; i++) {
        struct record *r = emit(sizeof *r);
        r->kind = i;
        r->a = i * 10;
        r->before = last;
        last = r;
    }
#pragma pc3 checkpoint
    for (char *p = buffer; p < top; p += sizeof(struct record)) {
        struct record *r = (struct record *)p;
        printf("%d %ld %d\n", r->kind, r->a, r->before ? r->before->kind : -1);
    }
    return 0;
}
