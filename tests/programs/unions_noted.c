/* pc3-test: seq */
/* The same program, with the member that was written last noted: it moves to every ABI. */
#include "unions_own_abi.c"
