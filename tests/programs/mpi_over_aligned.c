/* pc3-test: mpi ranks=3 */
/* The same objects in programs with ranks, whose static ones have copies and whose stacks are pc3's. */
#define RANKS 1
#include "over_aligned.c"
