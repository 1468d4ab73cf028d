/* pc3-test: seq */
/* Unions with notes all through more memory than one stretch of notes is for (256 KiB on 32 bits): wherever stretches
 * end, and when they are copied. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

struct cell {
    int kind, line;
    union {
        struct {
            char text[8];
            short length, width;
        } word;
        struct {
            unsigned key;
            int next, last;
        } link;
    } u;
};

static struct cell cells[80000];
static unsigned count;

static void fill(unsigned upto)
{
    static const char *const words[] = {"here", "there", "nowhere"};
    while (count < upto) {
        struct cell *c = &cells[count];
        c->line = (int)count++;
        unsigned n = count * 2654435761u;
        if (n >> 30) {
            c->kind = 1;
            c->u.link.key = n;
            c->u.link.next = (int)(n / 3);
            c->u.link.last = -(int)count;
        } else {
            strcpy(c->u.word.text, words[n % 3]);
            c->u.word.length = (short)(n % 1000);
            c->u.word.width = (short)(count % 7);
        }
    }
}

static unsigned sum(const struct cell *all, unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct cell *c = &all[i];
        if (c->kind)
            s = s * 31 + c->u.link.key + (unsigned)c->u.link.next * 7 + (unsigned)c->u.link.last;
        else
            s = s * 31 + (unsigned)(c->u.word.text[0] + c->u.word.length + c->u.word.width);
    }
    return s;
}

int main(void)
{
    fill(7000);
#pragma pc3 checkpoint
    show("few", sum(cells, count));
    fill(80000);
#pragma pc3 checkpoint
    show("many", sum(cells, count));
    struct cell *copy = malloc(sizeof cells);
    memcpy(copy, cells, sizeof cells);
    memset(cells, 0, sizeof cells);
#pragma pc3 checkpoint
    show("copied", sum(copy, count));
    count -= 3;
    memmove(copy, copy + 3, count * sizeof *copy);
    copy = realloc(copy, count * sizeof *copy);
#pragma pc3 checkpoint
    show("moved", sum(copy, count));
    free(copy);
    return finish();
}
