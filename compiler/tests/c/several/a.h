#include <stdio.h>
extern int shared_count;
extern double table[];
static inline int twice(int k) { static int used; used++; extern int step(int); return step(k) + step(k) + used; }
int step(int);
void report(const char *);
extern int (*hook)(int);
