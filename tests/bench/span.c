/* Linked with --wrap=MPI_Init,--wrap=MPI_Finalize: prints the seconds between the two, that is without the start
 * and the end of the MPI library.  Of several ranks in a process (which share what is here) from the first one's start: a
 * rank that waits for nobody may end before another begins.  With SPAN_SMALL_PAGES the process gets pages of 4 KiB, as
 * plain programs do where huge ones are given to those that ask for them. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

int __real_MPI_Init(int *, char ***);
int __real_MPI_Finalize(void);
static struct timespec start;
static atomic_flag begun = ATOMIC_FLAG_INIT;

int __wrap_MPI_Init(int *argc, char ***argv)
{
    int r = __real_MPI_Init(argc, argv);
    if (!atomic_flag_test_and_set(&begun)) {
        if (getenv("SPAN_SMALL_PAGES"))
            prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
        clock_gettime(CLOCK_MONOTONIC, &start);
    }
    return r;
}

int __wrap_MPI_Finalize(void)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    fprintf(stderr, "span %.9f\n", end.tv_sec - start.tv_sec + 1e-9 * (end.tv_nsec - start.tv_nsec));
    return __real_MPI_Finalize();
}
