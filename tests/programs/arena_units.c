/* pc3-test: seq abi=down */
/* An arena in units of a union, whose items go back to lists by their size, as awk's: structs, texts and pointers. */
#include "check.h"

#define UNIT 8
#define POOL 16
#define CHUNK 64

union unit {
    char room[UNIT];
    union unit *link;
};

struct cell {
    struct cell *next;
    double value;
    int type;
};

static union unit *pool[POOL];

static void *get(size_t size)
{
    size_t units = (size + UNIT - 1) / UNIT;
    size_t bytes = units * UNIT;
    union unit *p;
    static size_t left;
    static union unit *rest;
    if (units > POOL) {
        p = malloc(bytes);
        if (!p)
            abort();
    } else if ((p = pool[units - 1])) {
        pool[units - 1] = p->link;
    } else {
        if (units > left) {
            if (left) {
                rest->link = pool[--left];
                pool[left] = rest;
            }
            rest = malloc(CHUNK * UNIT);
            if (!rest)
                abort();
            left = CHUNK;
        }
        p = rest;
        rest += units;
        left -= units;
    }
    return p;
}

static void put(void *p, size_t size)
{
    size_t units = (size + UNIT - 1) / UNIT;
    if (units > POOL) {
        free(p);
    } else {
        ((union unit *)p)->link = pool[--units];
        pool[units] = p;
    }
}

static struct cell *push(struct cell *list, int i)
{
    struct cell *c = (struct cell *)get(sizeof(struct cell));
    c->next = list;
    c->value = i / 3.0;
    c->type = i;
    return c;
}

int main(void)
{
    struct cell *list = 0;
    char *words[6];
    struct cell **table = (struct cell **)get(5 * sizeof(struct cell *));
    double *large = (double *)get(40 * sizeof(double));
    for (int i = 0; i < 40; i++)
        large[i] = i * 0.25;
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 5; i++) {
            list = push(list, 10 * round + i);
            table[i] = list;
        }
        if (round % 3 == 1)
            for (int i = 0; i < 4; i++) {
                struct cell *c = list;
                list = c->next;
                put(c, sizeof *c);
                table[4 - i] = list;
            }
        for (int i = 0; i < 6; i++) {
            words[i] = (char *)get((size_t)(5 + 7 * i));
            snprintf(words[i], 5, "%d", 100 * i + round);
        }
#pragma pc3 checkpoint
        double sum = large[round];
        long types = 0;
        for (struct cell *c = list; c; c = c->next)
            sum += c->value, types += c->type;
        show_real("sum", sum);
        show("types", types + table[1]->type + table[4]->type);
        for (int i = 0; i < 6; i++) {
            show_text("word", words[i]);
            put(words[i], (size_t)(5 + 7 * i));
        }
    }
    return finish();
}
