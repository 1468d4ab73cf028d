/* pc3-test: seq */
/* Every way to get memory: aligned, by wrappers that take the old size too, through pointers to functions, grown, copied. */
#define _GNU_SOURCE
#include "check.h"
#include <malloc.h>

struct item {
    struct item *next;
    long value;
};

struct text {
    int length;
    char *end;
    char data[];
};

/* As an interpreter has them: the old size, the new one, and an opaque word. */
struct state {
    void *(*resize)(void *, void *, size_t, size_t);
    void *opaque;
};

static void *plain_resize(void *opaque, void *p, size_t was, size_t n)
{
    (void)opaque;
    (void)was;
    if (!n) {
        free(p);
        return 0;
    }
    return realloc(p, n);
}

static void *grow(struct state *s, void *p, size_t was, size_t n)
{
    void *r = s->resize(s->opaque, p, was, n);
    if (!r && n)
        abort();
    return r;
}

static struct text *make(struct state *s, const char *from)
{
    size_t n = strlen(from);
    struct text *t = grow(s, 0, 0, sizeof(struct text) + n + 1);
    t->length = (int)n;
    memcpy(t->data, from, n + 1);
    t->end = t->data + n;
    return t;
}

static struct item *aligned_items(int n)
{
    struct item *p = aligned_alloc(64, (size_t)n * 64);
    return p;
}
#pragma pc3 type aligned_items: struct item

int main(void)
{
    struct state state = {plain_resize, 0};
    struct item *all, *more, **index;
    struct text *text;
    double *values, *page;
    char *line, *copy;
    long *longs = 0;
    int i, size = 0;

    all = aligned_items(2);
    for (i = 0; i < 4; i++) {
        all[i].value = i * 1000;
        all[i].next = &all[(i + 1) % 4];
    }
    if (posix_memalign((void **)&values, 32, 10 * sizeof *values))
        return 1;
    page = memalign(128, 4 * sizeof(double));
    index = reallocarray(0, 3, sizeof *index);
    more = calloc(2, sizeof *more);
    text = make(&state, "portable");
    copy = strdup(text->data);
    if (asprintf(&line, "%s and %d", copy, 7) < 0)
        return 1;
    for (i = 0; i < 10; i++)
        values[i] = i / 4.0;
    for (i = 0; i < 4; i++)
        page[i] = values[i] * 3;
    for (i = 0; i < 3; i++)
        index[i] = &all[2 - i];
    more[1].next = more;
    more[0].value = -5;
#pragma pc3 checkpoint
    for (i = 0; i < 9; i++) {
        if (i == size) {
            longs = grow(&state, longs, size * sizeof(long), (size + 4) * sizeof(long));
            size += 4;
        }
        longs[i] = i * 3L - 4;
#pragma pc3 checkpoint
        index = reallocarray(index, 3 + i + 1, sizeof *index);
        index[3 + i] = index[i]->next;
    }
    for (i = 0; i < 12; i++)
        show("index", index[i]->value);
    for (i = 0; i < 9; i++)
        show("long", longs[i]);
    show("more", more[1].next->value);
    show_text("line", line);
    show("end", text->end - text->data);
    show_real("page", page[3]);
    show("usable", malloc_usable_size(copy) >= 9);
    grow(&state, longs, size * sizeof(long), 0);
#pragma pc3 checkpoint
    show_text("text", text->data);
    return finish();
}
