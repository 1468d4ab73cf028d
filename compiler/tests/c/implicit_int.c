/* flags: -std=gnu89 */
#include <stdio.h>
void pc3_checkpoint(void);
static n = 3;
static twice(k) { pc3_checkpoint(); return k * 2; }
main() { int i; for (i = 0; i < n; i++) printf("%d\n", twice(i)); return 0; }
