/* pc3-test: mpi ranks=4 args=word,-v,-n,12,--level=3,other */
/* Library functions that remember something between calls: every rank has its own memory of it. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <getopt.h>
#include <time.h>

static int numbers(int rank)
{
    int sum = 0;
    srand(1000 + rank);
    srand48(rank);
    for (int i = 0; i < 4; i++) {
        sum += rand() % 1000 + (int)(lrand48() % 1000);
        sum += (int)(1000 * drand48()) + (int)(random() % 100);
#pragma pc3 checkpoint
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return sum;
}

static int words(int rank)
{
    char text[] = "alpha beta,gamma;;delta epsilon";
    int n = 0;
    for (char *w = strtok(text + rank, " ,;"); w; w = strtok(NULL, " ,;")) {
        n = 10 * n + (int)strlen(w);
#pragma pc3 checkpoint
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank % 2)
            MPI_Barrier(MPI_COMM_SELF);
    }
    return n;
}

static int options(int argc, char **argv)
{
    static const struct option known[] = {{"level", required_argument, NULL, 'l'}, {NULL, 0, NULL, 0}};
    int c, sum = 0;
    while ((c = getopt_long(argc, argv, "vn:", known, NULL)) != -1) {
#pragma pc3 checkpoint
        MPI_Barrier(MPI_COMM_WORLD);
        sum = 7 * sum + c + (optarg ? atoi(optarg) : 0);
    }
    return 100 * sum + 10 * optind + argc;
}

static int day(int rank)
{
    time_t when = 86400L * 365 * (rank + 1);
    struct tm *date = gmtime(&when);
    char *text = asctime(date);
#pragma pc3 checkpoint
    MPI_Barrier(MPI_COMM_WORLD);
    return date->tm_year * 100 + date->tm_mday + text[0] + (int)strlen(date->tm_zone);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    show_all("options", options(argc, argv));
    show_all("numbers", numbers(rank));
    show_all("words", words(rank));
    show_all("day", day(rank));
    return mpi_finish();
}
