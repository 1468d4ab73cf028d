/* pc3-test: mpi ranks=4 */
/* One rank prints all the time, in every way there is; callbacks print to standard error. */
#include <mpi.h>
#include <pc3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 4000 };

static void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stdout, format, args);
    va_end(args);
}

static void around(int event, void *context)
{
    (void)context;
    fprintf(stderr, "checkpoint: event %d\n", event);
}

static void print(int i, long sum)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%d %ld w\n", i, sum);
    switch (i % 8) {
    case 0: printf("%d %ld\n", i, sum); break;
    case 1: fputs(line, stdout); break;
    case 2: fwrite(line, 1, n, stdout); break;
    case 3: say("%d %ld v\n", i, sum); break;
    case 4: puts("line"); break;
    case 5: putchar('c'); putc('\n', stdout); break;
    case 6: fprintf(stdout, "%d %.3f\n", i, sum / 7.0); break;
    case 7: fflush(stdout); write(1, line, n); dprintf(1, "%d d\n", i); break;
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pc3_on(PC3_BEFORE | PC3_CONTINUE, around, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        int value = i ^ rank, got;
        for (int n = 0; n <= (rank + i) % ranks; n++) {
#pragma pc3 checkpoint
            sum = (sum * 7 + n) % 1000003;
        }
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % ranks, 1, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = (sum * 31 + got) % 1000003;
        if (rank == ranks - 1)
            print(i, sum);
    }
    if (rank == ranks - 1)
        printf("end: %ld\n", sum);
    MPI_Finalize();
    return 0;
}
