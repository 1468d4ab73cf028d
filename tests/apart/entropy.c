/* pc3-test: mpi ranks=4 abi=own */
/* With random bytes, too, which are logged as they are: they go on where the order of bytes is the same. */
#define ENTROPY
#include "clocks.c"
