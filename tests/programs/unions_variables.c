/* pc3-test: seq */
/* Unions that are no members: global, static, local, and a parameter; another variable says which member is in use. */
#include "check.h"

enum kind { NOTHING, NUMBER, REAL, TEXT };
union value {
    long number;
    double real;
    const char *text;
    struct { short a; void *p; } pair;
};

union value global;
int global_kind;
#pragma pc3 union global by global_kind: number = NUMBER, real = REAL, text = TEXT, none = NOTHING

static union value hidden;
static unsigned char flags;
#pragma pc3 union hidden by flags & 6: pair = any 2, number = 4, none = 0

static long step(enum kind kind, union value v)
{
    static union value last;
    static enum kind last_kind = NOTHING;
#pragma pc3 union step.last by last_kind: number = NUMBER, real = REAL, text = TEXT, none = NOTHING
#pragma pc3 union step.v by kind: number = NUMBER, real = REAL, text = TEXT, none = NOTHING
    long before = last_kind == REAL ? (long)(last.real * 4) : last_kind == NUMBER ? last.number : -1;
    last = v;
    last_kind = kind;
#pragma pc3 checkpoint
    switch (kind) {
    case NUMBER: return before + v.number;
    case REAL: return before + (long)(v.real * 8);
    case TEXT: return before + v.text[2];
    default: return before;
    }
}

int main(void)
{
    int i;
    union value local;
    enum kind kind = NOTHING;
#pragma pc3 union main.local by kind: number = NUMBER, real = REAL, text = TEXT, none = NOTHING
    for (i = 0; i < 9; i++) {
        kind = (enum kind)(i % 4);
        if (kind == NUMBER)
            local.number = -i;
        else if (kind == REAL)
            local.real = i / 4.0;
        else if (kind == TEXT)
            local.text = i & 1 ? "words" : "other";
        else
            memset(&local, 0, sizeof local);
        global = local;
        global_kind = kind;
        flags = (unsigned char)(i % 3 == 0 ? 0 : i % 3 == 1 ? 4 : 8 + 2);
        if (i % 3 == 1)
            hidden.number = i * 7;
        if (i % 3 == 2) {
            hidden.pair.a = (short)-i;
            hidden.pair.p = &hidden.pair.a;
        }
#pragma pc3 checkpoint
        show("step", step(kind, local));
        if (global_kind == TEXT)
            show_text("text", global.text);
        if (global_kind == REAL)
            show_real("real", global.real);
        if (flags == 10)
            show("pair", *(short *)hidden.pair.p);
        if (flags == 4)
            show("number", hidden.number);
        show("kind", kind);
    }
    return finish();
}
