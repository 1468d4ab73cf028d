/* pc3-test: seq */
/* Members that the program never names, and a pointer that says what is in use: where it leads to the union beside it, that
   is a value, elsewhere links. */
#include "check.h"

#define ALIGNED double a; void *b; long c; long long d

struct buffer {
    char *at;
    size_t size;
    union { ALIGNED; char bytes[24]; } first;
};

struct value { long long number; const char *text; };

struct cell {
    struct value *at;
    union {
        struct { struct cell *next, **before; } open;
        struct value own;
    } u;
};
#pragma pc3 union cell.u by at: own = self, open = *

static struct buffer text;
static struct cell *list, *all[5];
static struct value stack[5];

static void add(struct buffer *b, const char *word)
{
    size_t n = strlen(word) + 1;
    if (b->size + n > sizeof b->first.bytes)
        return;
    memcpy(b->at + b->size, word, n);
    b->size += n - 1;
}

static struct cell *open_cell(struct value *v)
{
    struct cell *c = malloc(sizeof *c);
    c->at = v;
    c->u.open.next = list;
    c->u.open.before = &list;
    if (list)
        list->u.open.before = &c->u.open.next;
    list = c;
    return c;
}

static void close_cell(struct cell *c)
{
    *c->u.open.before = c->u.open.next;
    if (c->u.open.next)
        c->u.open.next->u.open.before = c->u.open.before;
    c->u.own = *c->at;
    c->at = &c->u.own;
}

int main(void)
{
    static const char *const words[] = { "one", "two", "three", "four", "five" };
    text.at = text.first.bytes;
    for (int i = 0; i < 5; i++) {
        stack[i].number = 0x0102030405060708ll * (i + 1);
        stack[i].text = words[i];
        all[i] = open_cell(&stack[i]);
        add(&text, words[i]);
        if (i % 2)
            close_cell(all[i - 1]);
#pragma pc3 checkpoint
    }
    close_cell(all[3]);
#pragma pc3 checkpoint
    for (int i = 0; i < 5; i++)
        show("cell", all[i]->at->number), show_text("cell", all[i]->at->text);
    for (struct cell *c = list; c; c = c->u.open.next)
        show("open", c->at->number), show("same", *c->u.open.before == c);
    show_text("text", text.at);
    return finish();
}
