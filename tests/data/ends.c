/* pc3-test: mpi ranks=4 */
/* Ends in the way it is told to, at the last rank (kill_first: at the first; spawned_...: at one that it spawns), unless the
   environment says not to. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *what, const char *word)
{
    return strcmp(what, word) == 0;
}

static char *self;

/* By a rank that the last one spawns. */
static void spawned(const char *what, MPI_Comm parent)
{
    int x = 0;
    if (is(what, "spawned_abort"))
        MPI_Abort(MPI_COMM_WORLD, 8);
    if (is(what, "spawned_kill"))
        raise(SIGKILL);
    MPI_Recv(&x, 1, MPI_INT, 0, 99, parent, MPI_STATUS_IGNORE);
}

static void end(const char *what, int rank, int ranks)
{
    int x = 0, last = rank == ranks - 1;
    char word[32], *words[] = {word, NULL};
    MPI_Comm kids;
    if (getenv("ENDS_WELL"))
        return;
    if (is(what, "kill_first") && rank == 0)
        raise(SIGKILL);
    if (!last)
        return;
    if (is(what, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (is(what, "kill"))
        raise(SIGKILL);
    if (is(what, "crash"))
        raise(SIGSEGV);
    if (is(what, "exit"))
        exit(3);
    if (is(what, "error"))
        MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    if (is(what, "deadlock"))
        MPI_Recv(&x, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is(what, "quit")) {
        fprintf(stderr, "stays\n");
        for (;;)
            pause();
    }
    if (strncmp(what, "spawned", 7) == 0) {
        strcpy(word, what);
        MPI_Comm_spawn(self, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &kids, MPI_ERRCODES_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 0, 99, kids, MPI_STATUS_IGNORE);
    }
    if (is(what, "signal"))
        kill(getpid(), SIGUSR2);
}

int main(int argc, char **argv)
{
    int rank, ranks, sum = 0;
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        spawned(argv[1], parent);
    self = argv[0];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 100; i++) {
#pragma pc3 checkpoint
        int one = 1, all = 0;
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
        if (i == 20)
            end(argc > 1 ? argv[1] : "", rank, ranks);
    }
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
