#include <pc3.h>
int work(void) { pc3_checkpoint(); return 1; }
