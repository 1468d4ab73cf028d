/* pc3-test: seq flags=-O2 */
/* What a typedef says of accesses holds for parameters, too, behind a restart: it may alias any type, or lies less aligned than its type. */
#include "check.h"

typedef unsigned __attribute__((may_alias)) word;
typedef long long pair __attribute__((vector_size(16)));
typedef pair loose __attribute__((aligned(1), may_alias));
typedef struct {
    pair a;
    pair b[1];
} row __attribute__((aligned(1)));

static int here(void)
{
#pragma pc3 checkpoint
    return 1;
}

static void of_words(float *f, word *p)
{
    here();
    *f = 1;
    *p += 1;
    float first = *f;
    *f = 3;
    p[here() - 1] += 1;
    show_real("first", first);
    show_real("then", *f);
}

static void of_vectors(loose *p, row *r, int at)
{
    here();
    *p += 1;
    r->b[at] = *p;
    r->a += *p;
    p[here() - 1] += 2;
    show("vector", (*p)[0] + (*p)[1]);
    show("row", r->a[1] + r->b[at][0]);
}

int main(void)
{
    float f = 0;
    for (int i = 0; i < 3; i++) {
        static struct __attribute__((packed)) {
            char c;
            pair p;
            char d;
            row r;
        } all __attribute__((aligned(16)));
        of_words(&f, (word *)&f);
        of_vectors((loose *)&all.p, &all.r, here() - 1);
    }
    return finish();
}
