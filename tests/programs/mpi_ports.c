/* pc3-test: mpi ranks=4 args=server */
/* Ports: two halves of the ranks, and ranks spawned with a port's name, find each other; a port and its published name
   outlive a checkpoint; commands of one spawn with different arguments. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mixed(MPI_Comm inter, int word)
{
    int all[8] = {0}, there, sum = 0;
    MPI_Comm_remote_size(inter, &there);
    MPI_Allgather(&word, 1, MPI_INT, all, 1, MPI_INT, inter);
    for (int i = 0; i < there; i++)
        sum = sum * 10 + all[i];
    return sum;
}

static int guest(int argc, char **argv)
{
    int rank, *number, given, sum = -1;
    MPI_Comm parent, desk;
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &given);
    int mine[4] = {rank, argc, atoi(argv[1]), given ? *number : -1};
    MPI_Gather(mine, 4, MPI_INT, NULL, 0, MPI_INT, 0, parent);
#pragma pc3 checkpoint
    MPI_Comm_connect(argv[2], MPI_INFO_NULL, 0, MPI_COMM_WORLD, &desk);
#pragma pc3 checkpoint
    sum = mixed(desk, rank + 2);
    MPI_Comm_disconnect(&desk);
    MPI_Gather(&sum, 1, MPI_INT, NULL, 0, MPI_INT, 0, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    int rank, low, here;
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
    MPI_Comm side, other, parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return guest(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    low = rank < 1;
    MPI_Comm_split(MPI_COMM_WORLD, low, 0, &side);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("desk of the test", MPI_INFO_NULL, port);
    }
#pragma pc3 checkpoint
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Lookup_name("desk of the test", MPI_INFO_NULL, found);
        MPI_Send(found, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        MPI_Recv(found, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("found: %d\n", !strcmp(port, found));
    }
    for (int round = 0; round < 3; round++) {
        if (low)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, side, &other);
        else
            MPI_Comm_connect(found, MPI_INFO_NULL, 0, side, &other);
#pragma pc3 checkpoint
        int sum = mixed(other, rank + round);
        MPI_Comm_rank(other, &here);
        int mine[2] = {sum, here}, all[4][2];
        MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0)
            for (int i = 0; i < 4; i++)
                printf("round %d, rank %d: %d %d\n", round, i, all[i][0], all[i][1]);
        MPI_Comm_disconnect(&other);
    }
    if (low) {
        MPI_Comm kids, desk;
        char *self[] = {argv[0], argv[0]}, seven[] = "7", eight[] = "8";
        char *one[] = {seven, port, NULL}, *two[] = {eight, port, seven, NULL}, **each[] = {one, two};
        int counts[] = {1, 2}, codes[3], facts[3][4], sums[3];
        MPI_Info none[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        MPI_Comm_spawn_multiple(2, self, each, counts, none, 0, MPI_COMM_SELF, &kids, codes);
        MPI_Gather(NULL, 0, MPI_INT, facts, 4, MPI_INT, MPI_ROOT, kids);
#pragma pc3 checkpoint
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &desk);
#pragma pc3 checkpoint
        int sum = mixed(desk, 9);
        MPI_Gather(NULL, 0, MPI_INT, sums, 1, MPI_INT, MPI_ROOT, kids);
        MPI_Comm_disconnect(&desk);
        MPI_Comm_disconnect(&kids);
        for (int i = 0; i < 3; i++)
            printf("guest %d: %d arguments, %d, command %d, %d %d\n", facts[i][0], facts[i][1], facts[i][2], facts[i][3], sums[i], sum);
        MPI_Unpublish_name("desk of the test", MPI_INFO_NULL, port);
        MPI_Close_port(port);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int code = MPI_Lookup_name("desk of the test", MPI_INFO_NULL, found), class;
        MPI_Error_class(code, &class);
        printf("gone: %d\n", class == MPI_ERR_NAME);
    } else {
#pragma pc3 checkpoint
#pragma pc3 checkpoint
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&side);
    MPI_Finalize();
    return 0;
}
