/* pc3-test: mpi ranks=3 */
/* Three ranks spawn helpers together, each of them at another distance from its own locations: so that a helper comes into being
   before the line of one and behind that of another.  A helper hears from all in any order, and tells all what order that was: they
   must have been told the same.  Some helpers have helpers; some live on into the next round; some end at once. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 400, HELLO = 1, WORK = 2, ORDER = 3, BYE = 4 };

static void check(int ok, const char *what, int round)
{
    if (!ok) {
        fprintf(stderr, "wrong: %s in round %d\n", what, round);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static unsigned mix(unsigned h, unsigned x)
{
    return (h ^ x) * 16777619u + 1;
}

/* The pace of each rank is its own. */
static void idle(int how)
{
    volatile unsigned x = 1;
    for (int i = 0; i < how * 40; i++)
        x = x * 5 + 1;
}

static void place(int here)
{
    if (here) {
#pragma pc3 checkpoint
        idle(3);
    }
}

static int grandchild(MPI_Comm parent)
{
    int word = 0, twice;
    MPI_Recv(&word, 1, MPI_INT, 0, WORK, parent, MPI_STATUS_IGNORE);
    place(word % 2);
    twice = 2 * word;
    MPI_Send(&twice, 1, MPI_INT, 0, ORDER, parent);
    return 0;
}

static void helper(char *self, MPI_Comm parents, int round)
{
    int rank, size, olds;
    unsigned order = 2166136261u, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_remote_size(parents, &olds);
    for (int p = 0; p < olds; p++) {
        int hello = 1000 * round + 10 * rank + p;
        MPI_Send(&hello, 1, MPI_INT, p, HELLO, parents);
    }
    if (round % 5 == 4)
        return;
    place(round % 2);
    if (round % 7 == 3) {
        char young[] = "young", *words[] = {young, NULL};
        int word = round + rank, twice;
        MPI_Comm kid;
        MPI_Comm_spawn(self, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &kid, MPI_ERRCODES_IGNORE);
        MPI_Send(&word, 1, MPI_INT, 0, WORK, kid);
        place(rank == 0);
        MPI_Recv(&twice, 1, MPI_INT, 0, ORDER, kid, MPI_STATUS_IGNORE);
        check(twice == 2 * word, "what the youngest said", round);
        MPI_Comm_free(&kid);
    }
    for (int p = 0; p < olds; p++) {
        unsigned work;
        MPI_Status status;
        MPI_Recv(&work, 1, MPI_UNSIGNED, MPI_ANY_SOURCE, WORK, parents, &status);
        check(work == mix(round, status.MPI_SOURCE), "work", round);
        order = mix(order, work);
    }
    MPI_Allreduce(&order, &all, 1, MPI_UNSIGNED, MPI_BXOR, MPI_COMM_WORLD);
    for (int p = 0; p < olds; p++)
        MPI_Send(&all, 1, MPI_UNSIGNED, p, ORDER, parents);
    place(round % 3 == 0);
    MPI_Recv(&olds, 1, MPI_INT, 0, BYE, parents, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size;
    unsigned orders = 7, least, most, sum = 0;
    MPI_Comm parent, before = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        if (argc > 2)
            helper(argv[0], parent, atoi(argv[2]));
        else
            grandchild(parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++) {
        char number[12], word[] = "helper", *words[] = {word, number, NULL};
        int many = 1 + round % 2, root = round % size, turn = (round + rank) % 3;
        MPI_Comm kids;
        snprintf(number, sizeof number, "%d", round);
        idle((round * 7 + rank * 5) % 11);
        place(turn == 0);
        MPI_Comm_spawn(argv[0], words, many, MPI_INFO_NULL, root, MPI_COMM_WORLD, &kids, MPI_ERRCODES_IGNORE);
        place(turn == 1);
        for (int k = 0; k < many; k++) {
            unsigned work = mix(round, rank);
            int hello;
            MPI_Status status;
            if (round % 5 != 4)
                MPI_Send(&work, 1, MPI_UNSIGNED, k, WORK, kids);
            MPI_Recv(&hello, 1, MPI_INT, MPI_ANY_SOURCE, HELLO, kids, &status);
            check(hello == 1000 * round + 10 * status.MPI_SOURCE + rank, "hello", round);
            sum = mix(sum, many == 1 ? hello : 0);
        }
        place(turn == 2);
        if (round % 5 != 4) {
            for (int k = 0; k < many; k++) {
                unsigned order;
                MPI_Recv(&order, 1, MPI_UNSIGNED, k, ORDER, kids, MPI_STATUS_IGNORE);
                orders = mix(orders, order);
            }
            place(rank == 1 && round % 4 == 0);
            if (rank == 0)
                for (int k = 0; k < many; k++)
                    MPI_Send(&round, 1, MPI_INT, k, BYE, kids);
        }
        /* Their end is nobody's business, or seen a round later. */
        if (before != MPI_COMM_NULL)
            MPI_Comm_free(&before);
        before = kids;
    }
    MPI_Allreduce(&orders, &least, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&orders, &most, 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
    check(least == orders && most == orders, "the order that all were told", ROUNDS);
    MPI_Allreduce(&sum, &most, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %08x\n", most);
    MPI_Finalize();
    return 0;
}
