/* pc3-test: seq */
/* What initialisers say is in use, of unions that nothing writes while the program runs. */
#include "check.h"

union narrow { signed char c; int i; };
union wide { short s[4]; double d; long long l; };

static volatile union narrow small = { 7 };
static union narrow other = { .i = 0x01020304 };
static union wide list[3] = { { .s = { 1, 2, 3, 4 } }, { .d = 0.1 }, { .l = -5 } };

struct token {
    int kind;
    union {
        int id;
        struct {
            const char *text;
            int length;
        };
    };
};

/* Objects without a name. */
static struct token *zero = &(struct token){ .kind = 1, .text = "0", .length = 1 };
static union wide *row = (union wide[]){ { .d = 2.5 }, { .l = 77 } };

int main(void)
{
    for (int i = 0; i < 3; i++) {
#pragma pc3 checkpoint
        show("small", small.c + i);
    }
    show("other", other.i);
    show("s", list[0].s[0] * 1000 + list[0].s[3]);
    show_real("d", list[1].d), show("l", list[2].l);
    show_text("zero", zero->text), show("length", zero->length);
    show_real("first", row[0].d), show("second", row[1].l);
    return finish();
}
