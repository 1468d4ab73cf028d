/* pc3-test: seq abi=down */
/* One block handed out in pieces of any type, by an offset into it, with and without an alignment; given up as a whole and
   used again. */
#include "check.h"

struct name {
    struct name *next;
    long length;
    char text[12];
};
struct region {
    char *base;
    size_t used, size, most;
};

static void *memory;
static size_t used;

static void *piece(size_t n)
{
    void *p = (char *)memory + used;
    used += (n + 15) & ~(size_t)15;
    return p;
}

static void *region_alloc(struct region *r, size_t count, size_t each, size_t align)
{
    size_t at = (r->used + align - 1) & ~(align - 1);
    if (at + count * each > r->size)
        return NULL;
    r->used = at + count * each;
    if (r->used > r->most)
        r->most = r->used;
    return r->base + at;
}

static char *region_copy(struct region *r, const char *text)
{
    char *copy = region_alloc(r, strlen(text) + 1, 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* What a name of the list says is put together from the end. */
static void mixed(struct region *r, int turn)
{
    struct name *list = NULL, *n;
    char *copies[6];
    float *reals = region_alloc(r, 7, sizeof *reals, sizeof(float));
    short **rows = region_alloc(r, 6, sizeof *rows, 16);
    int i, k;
    for (i = 0; i < 6; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d.%d", turn, i * 7);
        copies[i] = region_copy(r, text);
        n = region_alloc(r, 1, sizeof *n, 16);
        n->next = list;
        n->length = (long)strlen(strcpy(n->text, text));
        list = n;
        reals[i] = i / 3.0f;
        rows[i] = region_alloc(r, 3, sizeof(short), 2);
        for (k = 0; k < 3; k++)
            rows[i][k] = (short)(turn * k - i);
#pragma pc3 checkpoint
    }
    for (n = list, i = 5; n; n = n->next, i--) {
        show_text(copies[i], n->text);
        show("row", rows[i][2] + n->length);
        show_real("real", reals[i]);
#pragma pc3 checkpoint
    }
}

int main(void)
{
    struct name *list = 0, *n;
    struct region region = {NULL, 0, 1500, 0};
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
    region.base = malloc(region.size);
    for (i = 1; i < 4; i++) {
        mixed(&region, i);
        region.used = 0;
    }
    free(region.base);
    free(block);
    return finish();
}
