/* pc3-test: seq */
/* Unions of which a tag beside them always says what is in use, so that nothing is noted. */
#include "check.h"

enum { EMPTY, INTEGER, REAL, TEXT, NODE, MANAGED = 0x40 };

typedef union scalar {
    long long i;
    double d;
    const char *s;
    struct node *n;
} scalar;

typedef struct value {
    scalar is;
    unsigned char tag;
} value;

/* The same beginning, and another place for tag and union. */
struct node {
    scalar is;
    unsigned char tag, key_tag;
    int next;
    scalar key;
};

/* One that the tag leaves nothing of. */
struct shape {
    int kind;
    union {
        struct { double x, y; } point;
        struct { int left, right; const char *name; } range;
        char letters[24]; /* never named */
    } as;
};

#define SET_INTEGER(v, x) do { value *to_ = (v); to_->is.i = (x); to_->tag = INTEGER; } while (0)
#define SET_REAL(v, x) do { value *to_ = (v); to_->tag = REAL; to_->is.d = (x); } while (0)
#define SET_TEXT(v, x) do { value *to_ = (v); to_->is.s = (x); to_->tag = TEXT; } while (0)
#define SET_NODE(v, x, how) (((v)->is.n = (x)), ((v)->tag = (how) | MANAGED))
#define COPY(v, w) do { value *to_ = (v); const value *from_ = (w); to_->is = from_->is; to_->tag = from_->tag; } while (0)
#define CHANGE_INTEGER(v, x) ((v)->is.i = (x))
#define CLEAR(v) ((v)->tag = EMPTY)

static value *stack;
static int depth, room;
static const value constant = { { 3 }, INTEGER };
static struct shape shapes[4] = { { 1, { .range = { 3, 4, "first" } } } };

static value *push(void)
{
    if (depth == room) {
        room = room ? 2 * room : 3;
        stack = realloc(stack, room * sizeof *stack);
    }
    return &stack[depth++];
}

static double number(const value *v)
{
    switch (v->tag) {
    case INTEGER: return (double)v->is.i;
    case REAL: return v->is.d;
    case TEXT: return (double)strlen(v->is.s);
    case EMPTY: return 0;
    default: return v->is.n->next;
    }
}

static int by_number(const void *a, const void *b)
{
    double x = number(a), y = number(b);
    return (x > y) - (x < y);
}

static struct node *node(int next, const value *key)
{
    struct node *n = calloc(1, sizeof *n);
    n->next = next;
    n->key = key->is;
    n->key_tag = key->tag;
    return n;
}

static void point(struct shape *s, float x)
{
    s->as.point.x = x;
    s->as.point.y = 2 * x;
    s->kind = 0;
}

static long long count(value *v, int n)
{
    long long sum = 0;
    SET_INTEGER(v, 0);
    while (v->is.i < n) {
#pragma pc3 checkpoint
        sum += v->is.i;
        CHANGE_INTEGER(v, v->is.i + 1);
    }
    return sum;
}

int main(void)
{
    value counter, other = constant;
    show("count", count(&counter, 5));
    for (int i = 0; i < 24; i++) {
        value *v = push();
        switch (i % 6) {
        case 0: SET_INTEGER(v, 0x0102030405060708ll * i); break;
        case 1: SET_REAL(v, i / 8.0); break;
        case 2: SET_TEXT(v, "a word" + i % 4); break;
        case 3: SET_NODE(v, node(i, &stack[i - 1]), NODE); break;
        case 4: COPY(v, &stack[i - 1]); break;
        default: *v = i % 2 ? constant : other; break;
        }
        if (i % 5 == 4)
            /* What was there is left over. */
            CLEAR(&stack[i - 2]);
#pragma pc3 checkpoint
    }
    COPY(&other, &stack[3]);
    point(&shapes[1], 1.5f);
    shapes[2] = shapes[0];
    memcpy(&shapes[3], &shapes[1], sizeof shapes[3]);
#pragma pc3 checkpoint
    qsort(stack, depth, sizeof *stack, by_number);
#pragma pc3 checkpoint
    for (int i = 0; i < depth; i++) {
        show("tag", stack[i].tag);
        show_real("is", number(&stack[i]));
        if (stack[i].tag & MANAGED) {
            const struct node *n = stack[i].is.n;
            show("key", n->key_tag);
            if (n->key_tag == TEXT)
                show_text("key", n->key.s);
        }
    }
    show("other", other.tag), show("counter", counter.is.i);
    for (int i = 0; i < 4; i++)
        if (shapes[i].kind)
            show_text("range", shapes[i].as.range.name), show("range", shapes[i].as.range.right);
        else
            show_real("point", shapes[i].as.point.y);
    return finish();
}
