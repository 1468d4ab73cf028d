/* pc3-test: mpi ranks=4 */
/* Sends that are over when they have begun, and those that are not: their requests are completed in every way that there is, beside receives,
 * null, persistent and collective ones, with locations between. */
#include "mpi_check.h"

#include <stdint.h>

enum { SENDS = 10, ALL = SENDS + SENDS + 4, LARGEST = 70000 };

static const int sizes[SENDS] = { 0, 1, 8, 62, 63, 64, 500, 4095, 4096, LARGEST };
static char out[SENDS][LARGEST], in[SENDS][LARGEST];
static MPI_Request requests[ALL];
static int rank, ranks, sum, total, token, kept;
static void *as_pointer;

static void start(int round)
{
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, n = 0;

    /* Some receives come before their messages, some after. */
    for (int i = 0; i < SENDS; i += 2)
        MPI_Irecv(in[i], sizes[i], MPI_CHAR, left, i, MPI_COMM_WORLD, &requests[n++]);
    for (int i = 0; i < SENDS; i++) {
        for (int k = 0; k < sizes[i]; k++)
            out[i][k] = (char)(rank + i * k + round);
        MPI_Isend(out[i], sizes[i], MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[n++]);
    }
    as_pointer = (void *)(intptr_t)requests[n - 9];
#pragma pc3 checkpoint
    requests[n - 9] = (MPI_Request)(intptr_t)as_pointer;
    requests[n++] = MPI_REQUEST_NULL;
    MPI_Isend(out[0], 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[n++]);
    sum = rank + round;
    MPI_Iallreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
    MPI_Send_init(&token, 1, MPI_INT, right, SENDS, MPI_COMM_WORLD, &requests[n++]);
    kept = n - 1;
    token = round;
    MPI_Start(&requests[kept]);
    for (int i = 1; i < SENDS; i += 2)
        MPI_Irecv(in[i], sizes[i], MPI_CHAR, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[n++]);
    int got;
    MPI_Recv(&got, 1, MPI_INT, left, SENDS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mix(got);
}

static int end(int how)
{
    MPI_Status status, all[ALL];
    int flag = 0, index, n, list[ALL], left = ALL, told = 0;

    switch (how) {
    case 0:
        MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (;; told++) {
            MPI_Waitany(ALL, requests, &index, &status);
            if (index == MPI_UNDEFINED)
                break;
        }
        break;
    case 2:
        for (;; told += n) {
            MPI_Waitsome(ALL, requests, &n, list, all);
            if (n == MPI_UNDEFINED)
                break;
        }
        break;
    case 3:
        while (!flag)
            MPI_Testall(ALL, requests, &flag, all);
        break;
    case 4:
        for (;; told += flag) {
            MPI_Testany(ALL, requests, &index, &flag, &status);
            if (flag && index == MPI_UNDEFINED)
                break;
        }
        told -= 1;
        break;
    case 5:
        for (;; told += n) {
            MPI_Testsome(ALL, requests, &n, list, MPI_STATUSES_IGNORE);
            if (n == MPI_UNDEFINED)
                break;
        }
        break;
    case 6:
        /* Sends last to first, each asked about before it is ended. */
        while (left--) {
            for (flag = 0; !flag;)
                MPI_Request_get_status(requests[left], &flag, &status);
            MPI_Request same = MPI_Request_f2c(MPI_Request_c2f(requests[left]));
            if (left != kept && same != MPI_REQUEST_NULL && left % 5 == 0) {
                MPI_Request_free(&requests[left]);
                continue;
            }
            for (flag = 0; !flag;)
                MPI_Test(&requests[left], &flag, &status);
        }
        break;
    default:
        for (int i = 0; i < ALL; i++) {
#pragma pc3 checkpoint
            MPI_Wait(&requests[i], &status);
        }
    }
    for (int i = 0; i < ALL; i++)
        told += (requests[i] != MPI_REQUEST_NULL) * (i == kept ? 100 : 1000);
    MPI_Request_free(&requests[kept]);
    return told;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 8; round++) {
        start(round);
#pragma pc3 checkpoint
        int told = end(round);
        show_all("told", told);
        show_all("total", total);
        for (int i = 0; i < SENDS; i++)
            for (int k = 0; k < sizes[i]; k++)
                mix((unsigned char)in[i][k]);
        show_all("sum", (int)(check_sum & 0xffff));
    }
    return mpi_finish();
}
