#include "a.h"
void pc3_checkpoint(void);
int shared_count;
static int hidden = 5;
static int local(int k) { hidden += k; pc3_checkpoint(); return hidden; }
int step(int k) { shared_count++; return local(k); }
int (*hook)(int) = local;
