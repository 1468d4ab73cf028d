/* pc3-test: seq abi=own */
/* One block handed out in pieces of any type: words in it that are addresses follow their objects on the same
   architecture; on another nobody could say what lies where. */
#include "check.h"

struct name {
    struct name *next;
    long length;
    char text[12];
};

static void *memory;
static size_t used;

static void *piece(size_t n)
{
    void *p = (char *)memory + used;
    used += (n + 15) & ~(size_t)15;
    return p;
}

int main(void)
{
    struct name *list = 0, *n;
    double **rows;
    int i, k;
    void *block = malloc(4096);
    memory = block;
    rows = piece(5 * sizeof *rows);
    for (i = 0; i < 5; i++) {
        n = piece(sizeof *n);
        n->next = list;
        n->length = sprintf(n->text, "name %d", i * i);
        list = n;
        rows[i] = piece((i + 1) * sizeof **rows);
        for (k = 0; k <= i; k++)
            rows[i][k] = i / (k + 2.0);
#pragma pc3 checkpoint
        show_text("text", list->text);
    }
    for (n = list; n; n = n->next) {
        show("length", n->length);
#pragma pc3 checkpoint
        show_real("row", rows[n->length % 5][0]);
    }
    return finish();
}
