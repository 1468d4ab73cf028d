/* pc3-test: seq */
/* What C leaves to the compiler, which the plain build decides: the order of operands and arguments with locations among them. */
#include "check.h"

struct pair {
    int a, b;
};

static int turn, kept = 1, list[8];
static struct pair both = {1, 2};
static int (*chosen)(int, int, int);

static int next(int step)
{
    turn = turn % 1000 * 7 + step;
#pragma pc3 checkpoint
    kept += step;
    both.a += 10 * step;
    return turn;
}

static int third(int x, int y, int z)
{
    return x * 100 + y * 10 + z;
}

static int other(int x, int y, int z)
{
    return x + y * 10 + z * 100;
}

static int change(void)
{
    chosen = chosen == third ? other : third;
    return next(5);
}

static struct pair make(int step)
{
    return (struct pair){next(step), kept};
}

static int sum(struct pair p, int x, struct pair q)
{
    return p.a * 3 + p.b + x * 5 + q.a * 7 + q.b;
}

static struct pair *place(struct pair *all, int step)
{
    return all + (next(step) & 3);
}

static void calls(void)
{
    chosen = third;
    show("arguments", third(next(1), next(2), next(3)));
    show("variable first", third(kept, next(1), kept));
    show("variable last", third(next(1), kept, 2));
    show("called", chosen(change(), kept, next(2)));
    show("structs", sum(both, next(4), both));
    show("made", sum(make(1), kept, make(2)));
    show("nested", third(third(next(1), next(2), 0), next(3), third(kept, 0, next(4))));
}

static void operands(void)
{
    show("sum", kept + next(2));
    show("sum back", next(2) + kept);
    show("difference", kept - next(3));
    show("product", (long long)kept * next(1));
    show("two", next(1) * 3 + next(2));
    show("less", kept < next(1));
    show("converted", (long long)kept == next(1) + 1LL);
    double real = kept;
    real = real + next(2) + kept * 0.5;
    show_real("real", real);
}

/* gcc takes what stands before a comma out of the operator, and turns differences round instead of their sign. */
static void rearranged(void)
{
    unsigned from = 1000;
    show("front", next(1) + (next(2), kept));
    show("fronts", (next(1), kept) * (next(2), turn) + next(3));
    show("negated", -(next(1) - next(2) * 3));
    show("subtracted", (int)(from - ((unsigned)next(1) - (unsigned)next(2) * 5)));
    show("both", -(-(next(1) - next(2) * 2)));
    show("sum", -next(1) + next(2));
    show("bits", next(1) ^ ~next(2));
    show("twice", kept - -next(3));
    signed char narrow = -(next(1) - next(2) + 1);
    show("narrow", narrow);
    show("offset", (kept + 1u) + next(1));
    list[next(3) & 7] = next(kept);
    list[kept & 7] = next(next(1));
    list[next(1) & 7] = third(kept, next(2), turn);
    for (int i = 0; i < 8; i++)
        show("list", list[i]);
}

static void stores(void)
{
    struct pair all[4] = {{0, 0}};
    turn = 0;
    list[turn & 7] = next(3);
    list[next(1) & 7] = next(2);
    list[next(1) & 7] += next(2) + kept;
    all[turn & 3] = make(2);
    *place(all, 1) = make(3);
    place(all, 2)->b = next(1);
    *place(all, 1) = *place(all, 2);
    kept += next(2);
    list[kept & 7] = kept = next(1);
    for (int i = 0; i < 8; i++)
        show("list", list[i]);
    for (int i = 0; i < 4; i++)
        show("pair", sum(all[i], 0, all[3 - i]));
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        calls();
        operands();
        rearranged();
        stores();
    }
    show("turn", turn);
    return finish();
}
