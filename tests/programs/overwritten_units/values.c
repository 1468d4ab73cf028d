#include "nodes.h"

struct value {
    int tag;
    long count;
    double sum;
};

void become_value(void *node, long count, double sum)
{
    struct value *v = node;
    v->tag = VALUE;
    v->count = count;
    v->sum = sum;
}

double value_of(const void *node)
{
    const struct value *v = node;
    return v->count * v->sum;
}
