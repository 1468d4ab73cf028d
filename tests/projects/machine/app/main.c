/* A small stack machine whose words are functions registered by other units. */
#include "app.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const programs[] = {
    "3 4 add a set 25 series b set",
    "a get b get mul c set 7 dup mul d set",
    "40 series dup add e set length f set",
    "a get c get add d get mul g set 12 series h set",
    "e get b get add i set 9 dup dup mul add j set",
};

static int get(struct machine *m) {
    struct item *i = table_find(m->variables, m->word);
    return push(m, i ? i->value : 0);
}
static int set(struct machine *m) {
    table_set(m->variables, m->word, pop(m));
    return 0;
}
static struct op own[] = {{"get", get, 0}, {"set", set, 0}};

static int run(struct machine *m, const char *text) {
    char word[64];
    while (next_word(&text, word, sizeof word)) {
        op_function *f = ops_find(word);
        m->steps++;
        if (f ? f(m) : strchr("0123456789", word[0]) ? push(m, atof(word)) : 0) return 1;
        if (!f) strcpy(m->word, word);
    }
    return 0;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 2;
    struct machine *m = store_get(sizeof *m);
    memset(m, 0, sizeof *m);
    m->variables = table_new(5);
    ops_register();
    ops_add(own, 2);
    for (int r = 0; r < rounds; r++) {
        for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
            if (run(m, programs[i])) printf("overflow\n");
        }
        struct report report;
        report_make(&report, m->variables);
        printf("round %d after %ld steps\n", r, m->steps);
        report_print(&report);
        list_clear(&report.lines);
    }
    table_free(m->variables);
    store_put(m);
    printf("live %ld\n", store_live());
    return 0;
}
