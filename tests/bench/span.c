/* Linked with --wrap=MPI_Init,--wrap=MPI_Finalize: prints the seconds between the two, that is without the start
 * and the end of the MPI library.  Of several ranks in a process (which share what is here) from the first one's start: a
 * rank that waits for nobody may end before another begins. */
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

int __real_MPI_Init(int *, char ***);
int __real_MPI_Finalize(void);
static struct timespec start;
static atomic_flag begun = ATOMIC_FLAG_INIT;

int __wrap_MPI_Init(int *argc, char ***argv)
{
    int r = __real_MPI_Init(argc, argv);
    if (!atomic_flag_test_and_set(&begun))
        clock_gettime(CLOCK_MONOTONIC, &start);
    return r;
}

int __wrap_MPI_Finalize(void)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    fprintf(stderr, "span %.9f\n", end.tv_sec - start.tv_sec + 1e-9 * (end.tv_nsec - start.tv_nsec));
    return __real_MPI_Finalize();
}
