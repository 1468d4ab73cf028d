/* Linked with --wrap=MPI_Init,--wrap=MPI_Finalize,--wrap=MPI_Pcontrol: prints the seconds between the first two, that is without
 * the start and the end of the MPI library, and those between MPI_Pcontrol(1) and MPI_Pcontrol(0).  Of several ranks in a process (which share what is here) from the first one's start: a
 * rank that waits for nobody may end before another begins.  With SPAN_SMALL_PAGES the process gets pages of 4 KiB, as
 * plain programs do where huge ones are given to those that ask for them. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

int __real_MPI_Init(int *, char ***);
int __real_MPI_Finalize(void);
static struct timespec start, timed;
static atomic_flag begun = ATOMIC_FLAG_INIT, begun_timed = ATOMIC_FLAG_INIT;

static void tell(const char *what, struct timespec since)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    fprintf(stderr, "%s %.9f\n", what, end.tv_sec - since.tv_sec + 1e-9 * (end.tv_nsec - since.tv_nsec));
}

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
    tell("span", start);
    return __real_MPI_Finalize();
}

int __wrap_MPI_Pcontrol(const int level, ...)
{
    if (level == 0)
        tell("timed", timed);
    else if (!atomic_flag_test_and_set(&begun_timed))
        clock_gettime(CLOCK_MONOTONIC, &timed);
    return 0;
}
