/* What the files of this program know of each other's memory: nothing but where it is. */
#ifndef NODES_H
#define NODES_H

enum { APPLY, VALUE };

struct item {
    void *data;
    struct item *next;
};

void become_value(void *node, long count, double sum);
double value_of(const void *node);

void give_back(void *p);
int free_cells(void);

#endif
