// pc3cc: helper.o libhelp.a
#include <pc3.h>
int main(void) { pc3_checkpoint(); return 0; }
