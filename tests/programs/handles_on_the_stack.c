/* pc3-test: seq abi=own */
/* Opaque handles in locals: numbers by their types, of which only what stores in them knows that they hold an address. */
#include "check.h"

typedef struct {
    double dummy[2];
} Handle;

struct real {
    int id;
    struct real *next;
};

struct view {
    struct real *first, *last;
};

static void begin(Handle *h, int id, struct real *next)
{
    struct real *r = malloc(sizeof *r);
    *r = (struct real){id, next};
    *(struct real **)h = r;
}

static int id_of(const Handle *h)
{
    return (*(struct real *const *)h)->id;
}

static void begin_both(Handle *h, int id)
{
    struct view *v = (struct view *)h;
    v->last = malloc(sizeof *v->last);
    *v->last = (struct real){id, NULL};
    v->first = malloc(sizeof *v->first);
    *v->first = (struct real){id + 1, v->last};
}

static struct real *real_of(const void *h)
{
    return *(struct real *const *)h;
}

static int sum(const Handle *h)
{
    const struct view *v = (const struct view *)h;
    return v->first->id * 100 + v->last->id + (v->first->next == v->last);
}

static void among_characters(unsigned char *bytes, struct real *r)
{
    *(struct real **)bytes = r;
}

int main(void)
{
    Handle one, both, list[3];
    unsigned char bytes[32];
    begin(&one, 7, NULL);
    begin_both(&both, 3);
    for (int i = 0; i < 3; i++)
        begin(&list[i], 10 + i, NULL);
    among_characters(bytes, real_of(&one));
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        show("one", id_of(&one));
        show("both", sum(&both));
        show("list", id_of(&list[i]));
        show("bytes", real_of(bytes)->id + (real_of(bytes) == real_of(&one)));
        begin(&list[2 - i], 20 + i, NULL);
    }
    return finish();
}
