/* pc3-test: mpi ranks=2 args=parent */
/* Ranks that the program spawns: arguments, fresh globals, messages and collectives with them, merging, a second
   generation, and those that have ended before a checkpoint. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counter = 7;
static int *into = &counter;
static int table[4];

enum { KIDS = 3, STEPS = 4 };

static void check(int ok, const char *what)
{
    if (!ok) {
        printf("wrong: %s\n", what);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* What both sides do, with a location in each step. */
static long together(MPI_Comm inter, int parent)
{
    int rank, size, there;
    long sum = 0;
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &there);
    for (int step = 0; step < STEPS; step++) {
        int word = 100 * rank + step, got = -1, all[8] = {0};
        MPI_Request request;
        if (parent && rank == 0)
            for (int k = 0; k < there; k++) {
                word = 1000 * k + step;
                MPI_Send(&word, 1, MPI_INT, k, step, inter);
            }
        if (!parent)
            MPI_Irecv(&got, 1, MPI_INT, 0, step, inter, &request);
#pragma pc3 checkpoint
        if (!parent) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            check(got == 1000 * rank + step, "message");
            counter += got;
        }
        MPI_Allgather(&word, 1, MPI_INT, all, 1, MPI_INT, inter);
        int root = parent ? (rank == step % size ? MPI_ROOT : MPI_PROC_NULL) : step % there, news = rank + 5;
        MPI_Bcast(&news, 1, MPI_INT, root, inter);
        for (int i = 0; i < there; i++)
            sum = (sum * 31 + all[i]) % 10007;
        sum = (sum * 7 + news) % 10007;
    }
    return sum;
}

static int child(MPI_Comm parent, int argc, char **argv)
{
    int rank, size, whole, there, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm merged, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_remote_size(parent, &there);
    check(argc == 3 && !strcmp(argv[1], "child") && !strcmp(argv[2], "of two"), "arguments");
    check(counter == 7 && *into == 7 && into == &counter && table[2] == 0, "globals");
    MPI_Comm_get_name(parent, name, &length);
    check(!strcmp(name, "MPI_COMM_PARENT"), "name");
    table[2] = rank + 1;
    long mine = together(parent, 0), most;
    MPI_Allreduce(&mine, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    MPI_Intercomm_merge(parent, 1, &merged);
    MPI_Comm_rank(merged, &whole);
    MPI_Comm_dup(merged, &all);
#pragma pc3 checkpoint
    check(whole == there + rank, "order");
    long facts[4] = {counter, table[2], most, mine};
    MPI_Gather(facts, 4, MPI_LONG, NULL, 0, MPI_LONG, 0, all);
    MPI_Comm_free(&all);
    MPI_Comm_free(&merged);
#pragma pc3 checkpoint
    MPI_Comm_disconnect(&parent);
    check(parent == MPI_COMM_NULL, "disconnected");
    MPI_Comm_get_parent(&parent);
    check(parent == MPI_COMM_NULL, "no parent");
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(parent, argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    counter = 40 + rank;
    table[2] = 9;
    char of[] = "of two", word[] = "child", *words[] = {word, of, NULL};
    for (int generation = 0; generation < 3; generation++) {
        int codes[KIDS] = {1, 1, 1}, whole;
        long facts[8][4];
        MPI_Comm kids, merged, all;
        MPI_Comm_spawn(argv[0], words, KIDS, MPI_INFO_NULL, generation % size, MPI_COMM_WORLD, &kids, codes);
        check(codes[0] == MPI_SUCCESS && codes[KIDS - 1] == MPI_SUCCESS, "codes");
        long sum = together(kids, 1);
        MPI_Intercomm_merge(kids, 0, &merged);
        MPI_Comm_size(merged, &whole);
        MPI_Comm_dup(merged, &all);
#pragma pc3 checkpoint
        long mine[4] = {counter, table[2], sum, rank};
        MPI_Gather(mine, 4, MPI_LONG, facts, 4, MPI_LONG, 0, all);
        if (rank == 0)
            for (int i = 0; i < whole; i++)
                printf("%d.%d: %ld %ld %ld %ld\n", generation, i, facts[i][0], facts[i][1], facts[i][2], facts[i][3]);
        MPI_Comm_free(&all);
        MPI_Comm_free(&merged);
#pragma pc3 checkpoint
        MPI_Comm_disconnect(&kids);
        counter++;
    }
    int last = counter;
    MPI_Allreduce(&last, &counter, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#pragma pc3 checkpoint
    if (rank == 0)
        printf("end: %d\n", counter);
    MPI_Finalize();
    return 0;
}
