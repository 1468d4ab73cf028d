// run: -shared shared.c -o ROOT/libshared.so
#include <pc3.h>
int f(void) { pc3_checkpoint(); return 0; }
