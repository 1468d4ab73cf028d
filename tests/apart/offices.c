/* pc3-test: mpi ranks=3 */
/* Three offices, each of which hires workers as it needs them and lets them go, on its own; now and then all three hire
   a team together, which finds one of them by a port. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAVES = 9, MOST = 4, TASKS = 12000, TEAM = 2, TASK = 1, RESULT = 2, STOP = 3 };

static int done_here;

static unsigned solve(unsigned task)
{
    unsigned h = 2166136261u + task;
    for (unsigned i = 0; i < 400 + task % 97; i++)
        h = (h ^ i) * 16777619u;
    return h;
}

static void check(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "wrong: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void worker(MPI_Comm office)
{
    for (;;) {
        MPI_Status status;
        unsigned task, answer[2];
        MPI_Recv(&task, 1, MPI_UNSIGNED, 0, MPI_ANY_TAG, office, &status);
        if (status.MPI_TAG == STOP)
            break;
#pragma pc3 checkpoint
        answer[0] = task;
        answer[1] = solve(task);
        done_here++;
        MPI_Send(answer, 2, MPI_UNSIGNED, 0, RESULT, office);
    }
    MPI_Send(&done_here, 1, MPI_INT, 0, STOP, office);
}

/* Of a team: a sum with all offices, and with the one that accepts. */
static int member(MPI_Comm offices, const char *port)
{
    int rank, sum, with;
    MPI_Comm all, desk;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rank += 10;
    MPI_Intercomm_merge(offices, 1, &all);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
#pragma pc3 checkpoint
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &desk);
    MPI_Allreduce(&rank, &with, 1, MPI_INT, MPI_SUM, desk);
    MPI_Comm_disconnect(&desk);
    MPI_Comm_free(&all);
    return sum == 10 * TEAM + TEAM * (TEAM - 1) / 2 + 3 && with == 100;
}

static int hire_team(char *self, int rank, int wave)
{
    char port[MPI_MAX_PORT_NAME] = "", team[] = "team", *words[] = {team, port, NULL};
    int root = wave % 3, sum, with = 0, hundred = 100;
    MPI_Comm kids, all, desk;
    if (rank == root)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Comm_spawn(self, words, TEAM, MPI_INFO_NULL, root, MPI_COMM_WORLD, &kids, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(kids, 0, &all);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
#pragma pc3 checkpoint
    if (rank == root) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &desk);
        MPI_Allreduce(&hundred, &with, 1, MPI_INT, MPI_SUM, desk);
        MPI_Comm_disconnect(&desk);
        MPI_Close_port(port);
        check(with == 10 * TEAM + TEAM * (TEAM - 1) / 2, "the desk");
    }
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&kids);
    return sum;
}

static int let_go(MPI_Comm *link)
{
    int did;
    MPI_Send(NULL, 0, MPI_UNSIGNED, 0, STOP, *link);
    MPI_Recv(&did, 1, MPI_INT, 0, STOP, *link, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(link);
    return did;
}

static unsigned office(char *self, int rank)
{
    static const int staff[] = {1, 4, 2, 3, 1, 2};
    MPI_Comm links[MOST];
    MPI_Request open[MOST];
    unsigned answers[MOST][2], sum = 0;
    char word[] = "worker", *words[] = {word, NULL};
    int busy = 0, did = 0;
    for (int wave = 0; wave < WAVES; wave++) {
        int want = staff[(wave + 2 * rank) % 6];
        while (busy < want)
            MPI_Comm_spawn(self, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &links[busy++], MPI_ERRCODES_IGNORE);
        while (busy > want)
            did += let_go(&links[--busy]);
        unsigned task = 0, first = (unsigned)(rank * WAVES + wave) * TASKS;
        for (int w = 0; w < MOST; w++)
            open[w] = MPI_REQUEST_NULL;
        for (int w = 0; w < busy; w++, task++) {
            unsigned one = first + task;
            MPI_Send(&one, 1, MPI_UNSIGNED, 0, TASK, links[w]);
            MPI_Irecv(answers[w], 2, MPI_UNSIGNED, 0, RESULT, links[w], &open[w]);
        }
        for (;;) {
            int w;
            MPI_Waitany(MOST, open, &w, MPI_STATUS_IGNORE);
            if (w == MPI_UNDEFINED)
                break;
            sum += answers[w][1] ^ answers[w][0];
#pragma pc3 checkpoint
            if (task < TASKS) {
                unsigned one = first + task++;
                MPI_Send(&one, 1, MPI_UNSIGNED, 0, TASK, links[w]);
                MPI_Irecv(answers[w], 2, MPI_UNSIGNED, 0, RESULT, links[w], &open[w]);
            }
        }
        if (wave % 4 == 3)
            sum += (unsigned)hire_team(self, rank, wave);
    }
    while (busy > 0)
        did += let_go(&links[--busy]);
    check(did == WAVES * TASKS, "tasks done");
    return sum;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parent != MPI_COMM_NULL) {
        if (argc > 2 && !strcmp(argv[1], "team"))
            check(member(parent, argv[2]), "a member's sums");
        else
            worker(parent);
        MPI_Comm_disconnect(&parent);
    } else {
        unsigned mine = office(argv[0], rank), all;
        MPI_Reduce(&mine, &all, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("sum %08x\n", all);
    }
    MPI_Finalize();
    return 0;
}
