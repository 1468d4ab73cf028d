/* pc3-test: mpi ranks=4 */
/* Callbacks around each rank's own checkpoint, in the order of their registration, and critical sections with locations in
 * them, which a request waits for. */
#include <mpi.h>
#include <pc3.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20000 };

static int inside, wrong, last;
static long begun, over;

static void before(int event, void *context)
{
    int number = *(int *)context;
    wrong |= event != PC3_BEFORE || inside || number != (number == 1 ? 1 : last + 1);
    last = number;
    begun += number == 1;
}

static void after(int event, void *context)
{
    int number = *(int *)context;
    wrong |= (event != PC3_CONTINUE && event != PC3_RESTART) || inside || number != (number == 1 ? 1 : last + 1);
    last = number;
    over += number == 1;
}

int main(int argc, char **argv)
{
    int rank, ranks, numbers[3] = {1, 2, 3};
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 3; i++) {
        pc3_on(PC3_BEFORE, before, &numbers[i]);
        pc3_on(PC3_CONTINUE | PC3_RESTART, after, &numbers[i]);
    }
    for (int i = 0; i < ROUNDS; i++) {
        int value = i ^ rank, got;
        pc3_critical_begin();
        inside = 1;
#pragma pc3 checkpoint
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % ranks, 1, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        inside = 0;
        pc3_critical_end();
        sum = (sum * 31 + got) % 1000003;
        if (i % (rank + 3) == 0) {
#pragma pc3 checkpoint
            sum++;
        }
    }
    /* Of the last one only the beginning may be known. */
    wrong |= begun < over || begun > over + 1;
    int wrongs = 0;
    MPI_Allreduce(&wrong, &wrongs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    long sums[16];
    MPI_Gather(&sum, 1, MPI_LONG, sums, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int r = 0; r < ranks; r++)
            printf("%d %ld, %d wrong\n", r, sums[r], wrongs);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
