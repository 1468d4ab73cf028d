/* pc3-test: mpi ranks=5 */
/* Inter-communicators: messages and collectives between two groups of different size, and what is made of them. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int low = rank < 2, inter, there, here;
    MPI_Comm side, between, twin, merged, part;
    MPI_Comm_split(MPI_COMM_WORLD, low, 0, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, low ? 2 : 0, 9, &between);
#pragma pc3 checkpoint
    MPI_Comm_test_inter(between, &inter);
    MPI_Comm_remote_size(between, &there);
    MPI_Comm_rank(between, &here);
    show_all("sides", inter * 100 + there * 10 + here);
    MPI_Comm_dup(between, &twin);
    for (int step = 0; step < 3; step++) {
        int word = rank * 10 + step, got = -1, root;
        MPI_Request request;
        if (low)
            MPI_Issend(&word, 1, MPI_INT, 2 - step, 5, twin, &request);
        else if (here == 2 - step)
            MPI_Irecv(&got, 1, MPI_INT, step % 2, 5, twin, &request);
#pragma pc3 checkpoint
        if (low) {
            /* Both send to the same one, which takes the second message below. */
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (here == 2 - step) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            int other;
            MPI_Recv(&other, 1, MPI_INT, 1 - step % 2, 5, twin, MPI_STATUS_IGNORE);
            got = got * 100 + other;
        }
        show_all("got", got);
        root = low ? (here == step % 2 ? MPI_ROOT : MPI_PROC_NULL) : step % 2;
        int news = low ? rank + 40 : 0, sum = 0, each[3] = {0};
        MPI_Bcast(&news, 1, MPI_INT, root, between);
        MPI_Request later;
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between, &later);
#pragma pc3 checkpoint
        MPI_Allgather(&word, 1, MPI_INT, each, 1, MPI_INT, between);
        MPI_Wait(&later, MPI_STATUS_IGNORE);
        show_all("news", news);
        show_all("sum", sum * 1000 + each[0] + each[there - 1]);
    }
    MPI_Intercomm_merge(between, low, &merged);
#pragma pc3 checkpoint
    MPI_Comm_rank(merged, &here);
    show_all("merged", here);
    MPI_Comm_split(twin, here % 2, 0, &part);
    if (part != MPI_COMM_NULL) {
        MPI_Comm_remote_size(part, &there);
        MPI_Comm_free(&part);
    } else
        there = -1;
    show_all("parts", there);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&between);
    MPI_Comm_free(&side);
    return mpi_finish();
}
