/* pc3-test: mpi ranks=4 */
/* Structs and numbers that are sent as MPI_BYTE: under way at a location, waited for, in persistent requests, in collectives that are
 * not over, in types made of bytes; behind casts and in memory of no type, where sizeof says what it is. */
#include "mpi_check.h"

#include <string.h>

struct task {
    char kind;
    int id;
    long count;
    double seed;
    struct task *next;
    unsigned bits : 5, more : 9;
    short few[3];
};

static struct task sent[6], got[6], kept;
static double numbers[9000], more[9000];
static long longs[40], all[160];
static unsigned char digest[8 * sizeof(int)];
static int rank, ranks, right, left;
static MPI_Request again[2];

static void fill(struct task *t, int n, int round)
{
    for (int i = 0; i < n; i++) {
        struct task one = {(char)('a' + i), rank * 1000 + i, -1000L * round - i, (i + 1) / 7.0, 0, i, 300 + i, {1, (short)(-i), (short)round}};
        t[i] = one;
    }
}

static int sum(const struct task *t, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++)
        d += t[i].kind + t[i].id + t[i].count + t[i].seed * 64 + t[i].bits * 3 + t[i].more + t[i].few[0] + t[i].few[1] + t[i].few[2];
    return (int)d;
}

static int bytes_in(MPI_Status *status, int size)
{
    int n;
    MPI_Get_count(status, MPI_BYTE, &n);
    return n % size ? -n : n / size;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    MPI_Datatype struct_type, pair, byte = MPI_BYTE;
    MPI_Type_contiguous(sizeof(struct task), MPI_BYTE, &struct_type);
    MPI_Type_commit(&struct_type);
    MPI_Type_vector(2, sizeof(struct task), 2 * sizeof(struct task), MPI_BYTE, &pair);
    MPI_Type_commit(&pair);
    MPI_Send_init(&sent[5], sizeof(struct task), MPI_BYTE, right, 20, MPI_COMM_WORLD, &again[0]);
    MPI_Recv_init(&kept, sizeof kept, MPI_BYTE, left, 20, MPI_COMM_WORLD, &again[1]);
    struct task *on_heap = malloc(6 * sizeof *on_heap);
    void *untyped = on_heap;
    for (int round = 0; round < 4; round++) {
        MPI_Request requests[5];
        MPI_Status status, other;
        fill(sent, 6, round);
        fill(on_heap, 6, round + 1);
        for (int i = 0; i < 9000; i++)
            numbers[i] = rank + i / 3.0;
        for (int i = 0; i < 40; i++)
            longs[i] = -rank - 100000L * i - round;

        MPI_Irecv(got, sizeof got, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv((char *)more, sizeof more, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[1]);
#pragma pc3 checkpoint
        MPI_Send(&sent[2], 3 * sizeof *sent, byte, right, 3, MPI_COMM_WORLD);
        MPI_Send((char *)sent, (int)sizeof(sent[0]), MPI_BYTE, right, 4, MPI_COMM_WORLD);
        MPI_Send(sent, 1, pair, right, 5, MPI_COMM_WORLD);
        MPI_Send(sent + 1, 2, struct_type, right, 6, MPI_COMM_WORLD);
        MPI_Send(untyped, 2 * (int)sizeof(struct task), MPI_BYTE, right, 7, MPI_COMM_WORLD);
        MPI_Send("words\0of bytes", 15, MPI_BYTE, right, 8, MPI_COMM_WORLD);
        /* Characters stay, whatever they are counted by; a first member stands for its struct. */
        for (int i = 0; i < (int)sizeof digest; i++)
            digest[i] = (unsigned char)(rank * 40 + i);
        MPI_Send(digest, 8 * sizeof(int), MPI_BYTE, right, 11, MPI_COMM_WORLD);
        MPI_Send(&sent[1].kind, sizeof(struct task), MPI_BYTE, right, 12, MPI_COMM_WORLD);
        MPI_Isend(numbers, sizeof numbers, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Issend(sent, sizeof sent, MPI_BYTE, right, 10, MPI_COMM_WORLD, &requests[3]);
        MPI_Startall(2, again);
        MPI_Iallgather(longs, sizeof longs, MPI_BYTE, all, sizeof longs, MPI_BYTE, MPI_COMM_WORLD, &requests[4]);
#pragma pc3 checkpoint
        MPI_Send(&sent[rank], sizeof(struct task), MPI_BYTE, right, 1, MPI_COMM_WORLD);
        MPI_Waitall(2, again, MPI_STATUSES_IGNORE);
        show_all("persistent", sum(&kept, 1));
        struct task three[3], one, two[4];
        MPI_Probe(left, 3, MPI_COMM_WORLD, &status);
        show_all("probed", bytes_in(&status, (int)sizeof(struct task)));
#pragma pc3 checkpoint
        MPI_Recv(three, 3 * sizeof one, MPI_BYTE, left, 3, MPI_COMM_WORLD, &status);
        show_all("structs", sum(three, bytes_in(&status, (int)sizeof one)));
        MPI_Recv(&one, sizeof one, byte, left, 4, MPI_COMM_WORLD, &status);
        show_all("cast", sum(&one, 1));
        MPI_Recv(two, 2, struct_type, left, 5, MPI_COMM_WORLD, &status);
        show_all("vector", sum(two, 2));
#pragma pc3 checkpoint
        MPI_Recv(two, 1, pair, left, 6, MPI_COMM_WORLD, &status);
        show_all("contiguous", sum(&two[0], 1) + sum(&two[2], 1));
        MPI_Recv(untyped, 2 * sizeof(struct task), MPI_BYTE, left, 7, MPI_COMM_WORLD, &status);
        show_all("untyped", sum(on_heap, 2));
        char words[20] = "";
        MPI_Recv(words, 20, MPI_BYTE, left, 8, MPI_COMM_WORLD, &other);
        show_all("words", bytes_in(&other, 1) * 100 + words[0] + words[6]);
        MPI_Recv(digest, sizeof digest, MPI_BYTE, left, 11, MPI_COMM_WORLD, &other);
        show_all("digest", digest[0] * 1000 + digest[5]);
        MPI_Recv(&two[0].kind, sizeof *two, MPI_BYTE, left, 12, MPI_COMM_WORLD, &other);
        show_all("member", sum(two, 1));
        struct task six[6];
        MPI_Recv(six, sizeof six, MPI_BYTE, left, 10, MPI_COMM_WORLD, &status);
        show_all("synchronous", sum(six, 6));
#pragma pc3 checkpoint
        MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
        show_all("waited", sum(got, 1));
        double total = 0;
        for (int i = 0; i < 9000; i++)
            total += more[i];
        show_all("numbers", (int)total);
        long whole = 0;
        for (int i = 0; i < 160; i++)
            whole += all[i] % 9973;
        show_all("gathered", (int)whole);
    }
    MPI_Request_free(&again[0]);
    MPI_Request_free(&again[1]);
    MPI_Type_free(&struct_type);
    MPI_Type_free(&pair);
    free(on_heap);
    return mpi_finish();
}
