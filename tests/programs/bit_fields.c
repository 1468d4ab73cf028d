/* pc3-test: seq */
/* Bit-fields of all kinds in locals, globals, arrays and on the heap. */
#include "check.h"

struct flags {
    unsigned ready : 1, mode : 3;
    signed level : 5;
    unsigned : 0;
    unsigned long long wide : 40;
    unsigned char tail;
    _Bool on : 1;
    unsigned last : 17;
};

struct date {
    unsigned day : 5, month : 4;
    int year : 13;
    const char *note;
};

static struct flags global = {1, 5, -9, 0x12345678aULL, 'x', 1, 99999};

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static void show_flags(const struct flags *f)
{
    show("ready", f->ready);
    show("mode", f->mode);
    show("level", f->level);
    show("wide", (long long)f->wide);
    show("tail", f->tail);
    show("on", f->on);
    show("last", f->last);
}

static struct flags turn(struct flags f)
{
    f.mode = (unsigned)tick((int)f.mode) & 7u;
    f.level = -f.level;
#pragma pc3 checkpoint
    f.wide = f.wide * 3 & 0xffffffffffULL;
    f.on = !f.on;
    return f;
}

int main(void)
{
    struct flags local = {.level = 15, .wide = 0xfedcba9876ULL, .last = 1};
    struct date dates[3] = {{31, 12, -44, "old"}, {1, 1, 1970, "epoch"}, {29, 2, 2024, NULL}};
    struct date *heap = malloc(2 * sizeof *heap);
    if (!heap)
        return 1;
    heap[0] = dates[1];
    heap[1] = dates[2];
    for (int i = 0; i < 4; i++) {
        local = turn(local);
        global = turn(global);
        global.last -= 11111;
        local.ready ^= 1u;
        heap[i % 2].day = (heap[i % 2].day + 7u) & 31u;
        heap[i % 2].year -= tick(2000);
#pragma pc3 checkpoint
    }
    show_flags(&local);
    show_flags(&global);
    for (int i = 0; i < 2; i++) {
        show("day", heap[i].day);
        show("month", heap[i].month);
        show("year", heap[i].year);
        show_text("note", heap[i].note ? heap[i].note : "none");
    }
    show("year", dates[0].year);
    free(heap);
    return finish();
}
