#include "ops.h"

struct report {
    struct list lines;
    double total;
    int visited;
};
void report_make(struct report *r, struct table *t);
void report_print(const struct report *r);
const char *next_word(const char **at, char *into, int room);
