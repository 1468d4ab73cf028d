/* pc3-test: seq */
/* Allocation functions as gnulib and awk have them: inline, with sizes that are rounded, checked and computed in steps. */
#include <stddef.h>

#include "check.h"

#define TIMES(n, size) ((size_t)(n) < SIZE_MAX / (size) ? (size_t)(n) * (size) : overflow("too much"))
#define FLEXIBLE(type, member, n) \
    ((offsetof(type, member) + _Alignof(type) - 1 + (n)) & ~(_Alignof(type) - 1))

struct node {
    struct node *next;
    long weight;
    short tag;
};
struct entry {
    struct entry *next;
    long id;
    char name[];
};
struct text {
    struct text *other;
    unsigned length;
    char bytes[2];
};
struct table {
    void *rows;
    unsigned mask;
};
struct pair {
    struct node *first, *last;
};
struct options {
    long width;
    struct node *of;
    int flags[3];
};

static size_t overflow(const char *why)
{
    if (why)
        abort();
    return 0;
}

static inline void *replaced_realloc(void *p, size_t n)
{
    return realloc(p, n ? n : 1);
}

static void *need(void *p)
{
    if (!p)
        abort();
    return p;
}

static void *xreallocarray(void *p, size_t n, size_t s)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, s, &bytes))
        abort();
    return need(replaced_realloc(p, bytes));
}

static void *grow(void *p, size_t *pn, size_t s)
{
    size_t n = *pn;
    if (!p)
        n = n ? n : 4;
    else if (__builtin_add_overflow(n, (n >> 1) + 1, &n))
        abort();
    p = xreallocarray(p, n, s);
    *pn = n;
    return p;
}

/* Its size by way of two variables. */
static void *in_units(size_t size)
{
    size_t units = (size + 15) >> 4;
    size_t bytes = units << 4;
    void *p = malloc(bytes);
    return memset(need(p), 0, bytes);
}

/* The library's memcpy as it is with _FORTIFY_SOURCE. */
static inline void *copy_checked(void *to, const void *from, size_t n)
{
    return __builtin___memcpy_chk(to, from, n, __builtin_object_size(to, 0));
}

static void *duplicate(const void *p, size_t n)
{
    return copy_checked(need(malloc(n)), p, n);
}

/* Texts in numbered places: its callers say nothing of a size. */
static char *quoted(int place, const char *text)
{
    static char *slots[4];
    size_t n = strlen(text) + 3 + (size_t)place;
    free(slots[place]);
    char *value = need(malloc(n));
    slots[place] = value;
    snprintf(value, n, "'%s'", text);
    return value;
}

static struct text *new_text(const char *from)
{
    size_t n = strlen(from);
    struct text *t = in_units(n + sizeof(struct text) - 1);
    t->length = (unsigned)n;
    memcpy(t->bytes, from, n + 1);
    return t;
}

static struct entry *new_entry(struct entry *next, long id, const char *name)
{
    size_t n = strlen(name) + 1;
    struct entry *e = need(malloc(FLEXIBLE(struct entry, name, n)));
    e->next = next;
    e->id = id;
    memcpy(e->name, name, n);
    return e;
}

int main(void)
{
    size_t count = 0, rows = 9;
    struct node *nodes = grow(0, &count, sizeof *nodes);
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct node){i ? nodes + i - 1 : 0, (long)(70 * i), (short)i};
    size_t all = count;
    struct pair *pairs = 0;
    size_t room = 0;
    pairs = grow(pairs, &room, sizeof *pairs);
    pairs[0] = (struct pair){nodes, nodes + all - 1};
    struct table t = {in_units(TIMES(rows, sizeof(struct node *))), 7};
    for (size_t i = 0; i < rows; i++)
        ((struct node **)t.rows)[i] = nodes + i % all;
    struct node *spare = need(malloc(room > 1000 ? 1 : 2 * sizeof(struct node)));
    spare[0] = (struct node){nodes, 5, 6};
    spare[1] = (struct node){spare, -5, -6};
    struct options first = {80, nodes + 1, {1, -2, 3}};
    struct options *copy = duplicate(&first, sizeof first);
    struct text *text = new_text("a text that is longer than its struct says");
    text->other = new_text("xy");
    struct entry *list = new_entry(new_entry(0, -4, "first"), 400, "the second of them");
    for (int round = 0; round < 4; round++) {
        char *word = quoted(round % 3, round % 2 ? "odd" : "even");
        struct node *last = pairs[0].last;
#pragma pc3 checkpoint
        show_text(word, quoted(3, list->next->name));
        show_text(list->name, text->bytes);
        show(text->other->bytes, text->length + text->other->length);
        show("last", last->weight + last->next->tag);
        show("rows", ((struct node **)t.rows)[8 % all]->weight + t.mask);
        show("spare", spare[1].next->next->weight + spare[1].tag);
        show("copy", copy->width + copy->of->weight + copy->flags[1] + list->id);
        last->weight += round;
    }
    return finish();
}
