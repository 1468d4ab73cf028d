#ifndef OPS_H
#define OPS_H
#include "store.h"

struct machine {
    struct table *variables;
    double stack[32];
    int depth;
    long steps;
    char word[64];
};
typedef int op_function(struct machine *m);
struct op {
    const char *name;
    op_function *run;
    struct op *next;
};
extern struct op *all_ops;
void ops_add(struct op *list, int count);
op_function *ops_find(const char *name);
void ops_register(void);
void arith_register(void);
void text_register(void);
double pop(struct machine *m);
int push(struct machine *m, double v);

#endif
