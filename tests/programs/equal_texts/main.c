/* pc3-test: seq */
/* Equal texts of several units, told apart by their addresses: what was one address stays one, what were two stay two. */
#include "texts.h"

#pragma GCC diagnostic ignored "-Waddress"

struct state {
    const char *now, *other, *tail, *joined, *name, *namesake;
    const wchar_t *wide, *wider;
    const int *numbers;
};

static const char *const idle = IDLE, *const busy = "busy";
static const char *const table[] = {"zero", IDLE, "is idle", "", "busy"};
static const wchar_t *const broad = L"idle";
static const int *const three = (const int[]){1, 2, 3};
static struct state kept;

const char *first_text(int which)
{
    return table[which];
}

static const char *own_name(void)
{
    return __func__;
}

static int is_idle(const char *text)
{
    return text == idle;
}

static int passes_on(const char *text)
{
    return is_idle(text);
}

/* All that can be asked of addresses, as bits. */
static unsigned relations(const struct state *s)
{
    const char *all[] = {s->now,    s->other, s->tail, s->joined, s->name, s->namesake, idle,
                         table[0],  table[1], table[2], table[3], table[4], "own_name",
                         first_text(1), second_text(1), second_name(), own_name()};
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            sum = sum * 31 + (all[i] == all[k]);
    sum = sum * 31 + (s->wide == broad);
    sum = sum * 31 + (s->wider == broad);
    return sum * 31 + (s->numbers == three);
}

int main(void)
{
    kept = (struct state){idle,       second_text(1), table[2] + 3, "id" "le",     own_name(),
                          second_name(), L"idle",      second_wide(), three};
    struct state local = kept;
    const unsigned before = relations(&kept);
    for (int i = 0; i < 4; i++) {
#pragma pc3 checkpoint
        show("is idle", kept.now == idle);
        show("is busy", kept.now == busy);
        show("as written", kept.now == IDLE);
        show("as given", passes_on(IDLE));
        show("joined", kept.joined == idle);
        show("of the table", kept.now == table[1]);
        show("the other's own", second_knows(local.other));
        show("name", local.name == own_name());
#ifndef __clang__
        /* clang has the linker make one of them. */
        show("names", kept.name == kept.namesake);
#endif
        show("wide", kept.wide == broad && wcscmp(kept.wider, broad) == 0);
        show("behind", kept.tail - table[2]);
        show("alike", strcmp(kept.tail, kept.now));
        show("as before", relations(&kept) == before && relations(&local) == before);
        kept.now = i % 2 ? idle : busy;
        kept.now = i % 2 ? kept.now : idle;
    }
    return finish();
}
