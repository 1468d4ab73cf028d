/* pc3-test: mpi ranks=5 */
/* Every rank has files of its own open wherever it is: a stream that it writes, a descriptor that it appends to, a scratch file
 * without a name that it overwrites in place, the input that all of them read, each as far as it has come; and one that it
 * opens, appends to and closes again.  Ranks are far apart, as each waits for its neighbour's tokens only. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 8000, LINES = 37, SLOTS = 16, AHEAD = 24 };

static void stop(const char *why)
{
    fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static const char *named(const char *kind, int rank)
{
    static char name[32];
    snprintf(name, sizeof name, "%s.%d", kind, rank);
    return name;
}

static void make_input(void)
{
    FILE *f = fopen("input", "w");
    if (!f)
        stop("input");
    for (int i = 0; i < LINES; i++)
        fprintf(f, "%d\n", i * i * 7919 % 1009);
    fclose(f);
}

static int next_of(FILE *input)
{
    char line[32];
    if (!fgets(line, sizeof line, input)) {
        rewind(input);
        if (!fgets(line, sizeof line, input))
            stop("no line");
    }
    return atoi(line);
}

/* Puts a value into its slot; what was in the slot behind. */
static long exchange(FILE *scratch, int round, long value)
{
    long old = 0;
    fseek(scratch, round % SLOTS * 8L, SEEK_SET);
    fprintf(scratch, "%07ld\n", value % 9999999);
    fseek(scratch, (round + 1) % SLOTS * 8L, SEEK_SET);
    if (fscanf(scratch, "%ld", &old) != 1)
        old = -1;
    return old;
}

static void show(const char *kind, int rank)
{
    unsigned hash = 2166136261u;
    long length = 0;
    int c;
    FILE *f = fopen(named(kind, rank), "r");
    if (!f)
        stop(named(kind, rank));
    for (; (c = getc(f)) != EOF; length++)
        hash = (hash ^ (unsigned)c) * 16777619u;
    fclose(f);
    printf("%s.%d %ld %08x\n", kind, rank, length, hash);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    long sum, all[16];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        make_input();
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *input = fopen("input", "r");
    FILE *log = fopen(named("log", rank), "w");
    FILE *scratch = tmpfile();
    int journal = open(named("journal", rank), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    if (!input || !log || !scratch || journal < 0)
        stop("cannot open all files");
    remove(named("steps", rank));
    sum = rank + 1;
    for (int i = 0; i < AHEAD; i++)
        MPI_Send(&sum, 1, MPI_LONG, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        long came;
        MPI_Recv(&came, 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = (sum * 31 + came + next_of(input)) % 1000003;
        sum += exchange(scratch, round, sum);
        fprintf(log, "%d %ld\n", round, sum);
        if (round % 5 == rank) {
            char text[32];
            int n = snprintf(text, sizeof text, "%d:%ld;", round, sum);
            if (write(journal, text, (size_t)n) != n)
                stop("journal");
        }
        if (round % (3 + rank) == 0) {
#pragma pc3 checkpoint
        }
        if (round % 40 == 7 * rank) {
            FILE *steps = fopen(named("steps", rank), "a");
            if (!steps)
                stop("steps");
            fprintf(steps, "step %d of %d: %ld\n", round, rank, sum);
            fclose(steps);
        }
        MPI_Send(&sum, 1, MPI_LONG, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    }
    for (int i = 0; i < AHEAD; i++)
        MPI_Recv(&all[0], 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fclose(input), fclose(log), fclose(scratch), close(journal);
    MPI_Gather(&sum, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; r++) {
        printf("%d %ld\n", r, all[r]);
        show("log", r), show("journal", r), show("steps", r);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
