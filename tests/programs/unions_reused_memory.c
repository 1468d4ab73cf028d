/* pc3-test: seq */
/* Unions in memory that held something else before, and of which the program has filled a part only. */
#include "check.h"

struct value { int kind; union { _Bool is; double real; struct value *other; } as; };

static struct value fixed[3], *last;

/* Leaves pointers behind, some of which end with a byte that could be a truth value. */
static void litter(int n)
{
    struct value **old = malloc(n * sizeof *old);
    for (int i = 0; i < n; i++)
        old[i] = malloc(16 * sizeof **old);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 16; k++)
            old[i][k] = (struct value){ 3, { .other = old[(i + k) % n] } };
        last = old[i];
    }
    show("kind", last->kind);
    for (int i = 0; i < n; i++)
        free(old[i]);
    free(old);
}

int main(void)
{
    litter(40);
    int room = 4;
    struct value *list = malloc(room * sizeof *list);
    for (int i = 0; i < 11; i++) {
        if (i == room)
            list = realloc(list, (room *= 2) * sizeof *list);
        fixed[i % 3].kind = i;
        switch (list[i].kind = i % 3) {
        case 0: list[i].as.is = i % 2; break;
        case 1: list[i].as.real = i / 8.0; break;
        default: list[i].as.other = &fixed[i % 2]; break;
        }
        last = &list[i];
#pragma pc3 checkpoint
        show("last", last->kind);
        if (i > 1)
            show("other", list[2].as.other->kind);
    }
    struct value *rest = malloc(16 * sizeof *rest);
    rest[0].kind = 1, rest[0].as.real = 0.25;
#pragma pc3 checkpoint
    show_real("real", rest[0].as.real);
    free(rest);
    free(list);
    return finish();
}
