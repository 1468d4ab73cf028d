/* pc3-test: seq */
/* Names in text that says nothing while a program runs: assertions, alignments, builtins that take types. */
#include "check.h"

enum { LANES = 3 };
typedef double lane;

static int step(int x)
{
#pragma pc3 checkpoint
    return x;
}

static int asserted(int n)
{
    enum { LANES = 4, ROWS };
    typedef short lane;
    static lane rows[LANES * 2];
    struct row {
        _Alignas(LANES * 2) lane first;
        unsigned width : LANES;
        _Static_assert(LANES == 4 && sizeof(lane) == sizeof(short), "the inner ones");
        lane last __attribute__((aligned(LANES)));
    } row = {(lane)step(n), 3, 1};
    _Static_assert(sizeof rows / sizeof *rows == LANES + ROWS - 1, "a static variable's length");
    _Static_assert(sizeof(struct row) % sizeof rows[0] == 0 && sizeof row == sizeof(struct row), "both");
    _Alignas(sizeof rows) char text[LANES * 4];
    _Static_assert(_Alignof(text) == sizeof rows, "its own alignment");
    snprintf(text, sizeof text, "%d", step(n + 10));
    {
        enum row { ROWS = 100 };
        _Static_assert(sizeof(enum row) == sizeof(int) && ROWS == 100, "the innermost");
        rows[1] += (lane)step(n);
    }
    return row.first * 1000 + rows[1] * 100 + text[1] + (int)((uintptr_t)text % sizeof rows) + ROWS;
}

/* No location below it: only its static variable moves. */
static int plain(int n)
{
    enum { LANES = 5 };
    static int rows[LANES];
    _Static_assert(sizeof rows == LANES * sizeof *rows, "of its own");
    rows[2] += n;
    return rows[2];
}

struct line {
    short *fields;
    size_t room;
};

/* A type in an expression, with an assertion about a parameter. */
#define GROWN(p, n) (sizeof(struct { _Static_assert(sizeof *(p) != 1, "no characters"); int one; }) \
    ? realloc(p, (n) * sizeof *(p)) : 0)

static void grow(struct line *line)
{
    line->fields = GROWN(line->fields, line->room += 4);
    line->fields[line->room - 1] = (short)line->room;
}

static int compatible(int n)
{
    typedef int lane;
    int total = step(n) + __builtin_types_compatible_p(lane, int) + (int)__alignof__(lane);
    for (int i = 0; i < 2; i++) {
        _Alignas(32) int held = step(i);
        int *where = &held;
        total += __builtin_types_compatible_p(__typeof__(held), lane) * step(*where);
        {
            char held = (char)step(i);
            total += (int)_Alignof(held) + held;
        }
    }
    return total;
}

int main(void)
{
    _Static_assert(LANES == 3 && sizeof(lane) == sizeof(double), "the outer ones");
    struct line line = {0};
    for (int n = 1; n < 4; n++) {
        show("asserted", asserted(n));
        show("plain", plain(n));
        show("compatible", compatible(n));
        grow(&line);
        show("grown", step(line.fields[line.room - 1]));
    }
    free(line.fields);
    return finish();
}
