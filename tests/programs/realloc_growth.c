/* pc3-test: seq */
/* Arrays that grow and shrink: realloc from null, of structures with pointers, of pointers to
 * pointers, to smaller sizes, and pointers fixed up after a move. */
#include "check.h"

struct record {
    char *name;
    double value;
    int links[2];
};
struct table {
    struct record *records;
    size_t count, room;
};

static void *need(void *p)
{
    if (!p)
        exit(1);
    return p;
}

static void add(struct table *t, const char *name, double value)
{
    if (t->count == t->room) {
        t->room = t->room ? t->room * 2 : 1;
        t->records = need(realloc(t->records, t->room * sizeof *t->records));
    }
    struct record *r = &t->records[t->count];
    r->name = need(malloc(strlen(name) + 1));
    strcpy(r->name, name);
    r->value = value;
    r->links[0] = (int)t->count;
    r->links[1] = -1;
#pragma pc3 checkpoint
    t->count++;
}

static int *squares(int count)
{
    int *list = NULL;
    for (int i = 0; i < count; i++) {
        list = need(realloc(list, (size_t)(i + 1) * sizeof(int)));
#pragma pc3 checkpoint
        list[i] = i * i;
    }
    return list;
}

int main(void)
{
    struct table t = {NULL, 0, 0};
    char name[16];
    for (int i = 0; i < 11; i++) {
        snprintf(name, sizeof name, "record%d", i * 7);
        add(&t, name, i / 4.0);
    }
    int *list = squares(30);
    list = need(realloc(list, 10 * sizeof *list));
#pragma pc3 checkpoint
    long sum = 0;
    for (int i = 0; i < 10; i++)
        sum += list[i];
    show("squares", sum);
    char **names = need(calloc(t.count, sizeof *names));
    for (size_t i = 0; i < t.count; i++)
        names[i] = t.records[t.count - 1 - i].name;
    names = need(realloc(names, 20 * t.count * sizeof *names));
#pragma pc3 checkpoint
    for (size_t i = 0; i < t.count; i++)
        show_text("name", names[i]);
    while (t.count > 0) {
        struct record *r = &t.records[--t.count];
        show_real(r->name, r->value + r->links[0] + r->links[1]);
        free(r->name);
        if (t.count && t.count < t.room / 2) {
            t.room /= 2;
            t.records = need(realloc(t.records, t.room * sizeof(struct record)));
        }
#pragma pc3 checkpoint
    }
    free(t.records);
    free(names);
    free(list);
    return finish();
}
