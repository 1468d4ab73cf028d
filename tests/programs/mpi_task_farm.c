/* pc3-test: mpi ranks=1 args=farm */
/* A task farm that brings workers into being as work comes in and lets them go when there is less: a worker ends by itself
   while others go on, and its number is never used again. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAVES = 6, MOST = 4, TASK = 1, RESULT = 2, STOP = 3 };

static long done_here;

struct worker {
    MPI_Comm link;
    int number, left;
    struct worker *next;
};

static long solve(int task)
{
    long h = 17;
    for (int i = 0; i < 50 + task % 13; i++)
        h = (h * 131 + task + i) % 1000003;
    return h;
}

static int work(MPI_Comm master, char **argv)
{
    int number = atoi(argv[1]);
    long *kept = malloc(sizeof *kept * 64);
    for (;;) {
        MPI_Status status;
        int task;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, master, &status);
        if (status.MPI_TAG == STOP)
            break;
#pragma pc3 checkpoint
        kept[done_here % 64] = solve(task);
        long answer[3] = {task, kept[done_here % 64], ++done_here};
        MPI_Send(answer, 3, MPI_LONG, 0, RESULT, master);
    }
    long last[2] = {number, done_here};
    MPI_Send(last, 2, MPI_LONG, 0, STOP, master);
    free(kept);
    MPI_Comm_disconnect(&master);
    MPI_Finalize();
    return 0;
}

static struct worker *hire(struct worker *list, char *self, int number)
{
    char text[12], *words[] = {text, NULL};
    struct worker *w = malloc(sizeof *w);
    snprintf(text, sizeof text, "%d", number);
    MPI_Comm_spawn(self, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &w->link, MPI_ERRCODES_IGNORE);
    w->number = number;
    w->left = 0;
    w->next = list;
    return w;
}

static void retire(struct worker *w)
{
    long last[2];
    MPI_Send(NULL, 0, MPI_INT, 0, STOP, w->link);
    MPI_Recv(last, 2, MPI_LONG, 0, STOP, w->link, MPI_STATUS_IGNORE);
    printf("worker %ld did %ld\n", last[0], last[1]);
    MPI_Comm_disconnect(&w->link);
    free(w);
}

int main(int argc, char **argv)
{
    MPI_Comm master;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&master);
    if (master != MPI_COMM_NULL)
        return work(master, argv);
    struct worker *all = NULL;
    int hired = 0, busy = 0, task = 0;
    long total = 0;
    int waves = argc > 2 ? atoi(argv[2]) : WAVES;
    for (int wave = 0; wave < waves; wave++) {
        int want = wave % 3 == 1 ? MOST : 1 + wave % 2;
        while (busy < want) {
            all = hire(all, argv[0], hired++);
            busy++;
        }
        while (busy > want) {
            struct worker *first = all;
            all = first->next;
            retire(first);
            busy--;
        }
        for (struct worker *w = all; w; w = w->next) {
            w->left = 3;
            MPI_Send(&task, 1, MPI_INT, 0, TASK, w->link);
            task++;
        }
#pragma pc3 checkpoint
        for (int open = busy; open > 0;)
            for (struct worker *w = all; w; w = w->next) {
                if (w->left == 0)
                    continue;
                long answer[3];
                MPI_Recv(answer, 3, MPI_LONG, 0, RESULT, w->link, MPI_STATUS_IGNORE);
                if (answer[1] != solve((int)answer[0]))
                    printf("task %ld is wrong\n", answer[0]);
                total = (total * 7 + answer[1] + answer[2]) % 1000003;
                if (--w->left) {
                    MPI_Send(&task, 1, MPI_INT, 0, TASK, w->link);
                    task++;
                } else
                    open--;
#pragma pc3 checkpoint
            }
        printf("wave %d: %d workers, %ld\n", wave, busy, total);
    }
    while (all) {
        struct worker *first = all;
        all = first->next;
        retire(first);
    }
    printf("%d tasks, %d workers, %ld\n", task, hired, total);
    MPI_Finalize();
    return 0;
}
