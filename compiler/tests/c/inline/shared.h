#ifndef SHARED_H
#define SHARED_H
void pc3_checkpoint(void);
struct acc { int n; double sum; };
static inline double add(struct acc *a, double x) { static int calls; pc3_checkpoint(); a->n++; a->sum += x; return a->sum + ++calls; }
static inline int unused(int k) { pc3_checkpoint(); return k; }
inline int c99(int k) { int a[2] = { k, 1 }; pc3_checkpoint(); return a[0] + a[k > 0]; }
extern int other(int);
double use(struct acc *);
static double (*const adder)(struct acc *, double) = add;
#endif
