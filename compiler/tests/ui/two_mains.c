// pc3cc: fine.c
#include <pc3.h>
int main(void) { pc3_checkpoint(); return 0; }
