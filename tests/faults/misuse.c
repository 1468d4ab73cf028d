/* pc3-test: mpi ranks=4 */
/* Wrong uses of MPI, by name: collectives whose calls do not belong together, and `returned`, which prints the error classes
 * that local mistakes come to. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static void mixed(int *in, int *out, void *len, MPI_Datatype *type)
{
    (void)in, (void)out, (void)len, (void)type;
}

static void show(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;
    MPI_Error_class(code, &class);
    MPI_Error_string(class, text, &length);
    text[strcspn(text, ":")] = 0;
    if (rank == 0)
        printf("%s: %s\n", what, text);
}

/* What only some calls look at. */
static void elsewhere(int *v)
{
    int one[8], at[8], two[1], on[1] = {1}, position = 0;
    MPI_Comm half, both, line, hinted;
    MPI_Datatype types[8];
    MPI_Info freed;
    for (int i = 0; i < 8; i++)
        one[i] = 1, at[i] = 4 * i, types[i] = MPI_INT;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    MPI_Comm_size(both, two);
    show("a grid of two groups", MPI_Cart_create(both, 1, two, on, 0, &line));
    show("a graph of two groups", MPI_Graph_create(both, 1, (int[]){1}, (int[]){0}, 0, &line));
    v[0] = rank;
    MPI_Allreduce(v, v + 1, 1, MPI_INT, MPI_SUM, both);
    show("blocks of several types in place", MPI_Alltoallw(v, one, at, types, MPI_IN_PLACE, one, at, types, MPI_COMM_WORLD));
    show("blocks of several types from nowhere", MPI_Alltoallw(NULL, one, at, types, v, one, at, types, MPI_COMM_WORLD));
    show("to pack to nowhere", MPI_Pack(v, 1, MPI_INT, NULL, 100, &position, MPI_COMM_WORLD));
    MPI_Info_create(&freed);
    MPI_Info copy = freed;
    MPI_Info_free(&freed);
    show("freed hints", MPI_Comm_dup_with_info(MPI_COMM_WORLD, copy, &hinted));
    MPI_Errhandler handler;
    show("a handler that is null", MPI_Comm_create_errhandler(NULL, &handler));
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void returned(void)
{
    int v[4] = {0}, size, flag;
    MPI_Status status;
    MPI_Comm comm, gone;
    MPI_Datatype type, freed;
    MPI_Group group;
    MPI_Request request, late;
    MPI_Op op;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    gone = comm;
    MPI_Comm_free(&comm);
    show("a freed communicator", MPI_Barrier(gone));
    show("a null communicator", MPI_Comm_size(MPI_COMM_NULL, &size));
    show("a number for a communicator", MPI_Send(v, 1, MPI_INT, 0, 0, (MPI_Comm)12345));
    MPI_Type_contiguous(2, MPI_INT, &type);
    show("a type that is not committed", MPI_Send(v, 1, type, rank, 0, MPI_COMM_WORLD));
    MPI_Type_commit(&type);
    freed = type;
    MPI_Type_free(&type);
    show("a freed type", MPI_Send(v, 1, freed, rank, 0, MPI_COMM_WORLD));
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group same = group;
    MPI_Group_free(&group);
    show("a freed group", MPI_Group_size(same, &size));
    MPI_Op_create((MPI_User_function *)mixed, 1, &op);
    MPI_Op was = op;
    MPI_Op_free(&op);
    show("a freed operation", MPI_Allreduce(v, v + 1, 1, MPI_INT, was, MPI_COMM_WORLD));
    MPI_Irecv(v, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, &request);
    late = request;
    MPI_Send(v + 1, 1, MPI_INT, rank, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("a request that is over", MPI_Wait(&late, MPI_STATUS_IGNORE));
    show("a rank that does not exist", MPI_Send(v, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD));
    show("a rank below 0", MPI_Recv(v, 1, MPI_INT, -5, 0, MPI_COMM_WORLD, &status));
    show("a root that does not exist", MPI_Bcast(v, 1, MPI_INT, ranks, MPI_COMM_WORLD));
    show("a tag below 0", MPI_Send(v, 1, MPI_INT, rank, -7, MPI_COMM_WORLD));
    show("a count below 0", MPI_Send(v, -1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    show("no buffer", MPI_Send(NULL, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    show("no room for a buffered send", MPI_Bsend(v, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    show("an operation of another type", MPI_Allreduce(v, v + 1, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD));
    show("no pointer for a result", MPI_Comm_rank(MPI_COMM_WORLD, NULL));
    show("a keyval that does not exist", MPI_Comm_get_attr(MPI_COMM_WORLD, 54321, &v, &flag));
    MPI_Sendrecv(v, 2, MPI_INT, rank, 9, v + 2, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &status);
    MPI_Send(v, 2, MPI_INT, rank, 8, MPI_COMM_WORLD);
    show("a message that is too long", MPI_Recv(v, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &status));
    MPI_Isend(v, 2, MPI_INT, rank, 8, MPI_COMM_WORLD, &late);
    MPI_Irecv(v + 2, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &request);
    show("likewise when waited for", MPI_Wait(&request, &status));
    MPI_Wait(&late, &status);
    elsewhere(v);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int v[8] = {0}, out[8], ones[8], places[8];
    for (int i = 0; i < 8; i++)
        ones[i] = 1, places[i] = i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#pragma pc3 checkpoint
    int odd = rank == ranks - 1;
    if (!strcmp(what, "roots"))
        MPI_Bcast(v, 1, MPI_INT, odd, MPI_COMM_WORLD);
    else if (!strcmp(what, "kinds"))
        odd ? MPI_Barrier(MPI_COMM_WORLD) : MPI_Bcast(v, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else if (!strcmp(what, "later")) {
        MPI_Request r;
        odd ? MPI_Ibarrier(MPI_COMM_WORLD, &r) : MPI_Ibcast(v, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else if (!strcmp(what, "counts"))
        MPI_Allreduce(v, out, 1 + odd, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(what, "operations"))
        MPI_Reduce(v, out, 1, MPI_INT, odd ? MPI_MAX : MPI_SUM, 0, MPI_COMM_WORLD);
    else if (!strcmp(what, "types"))
        MPI_Allreduce(v, out, 1, odd ? MPI_FLOAT : MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(what, "lengths"))
        MPI_Bcast(v, 1 + !odd, MPI_INT, 0, MPI_COMM_WORLD);
    else if (!strcmp(what, "blocks"))
        MPI_Alltoall(v, 1 + odd, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
    else if (!strcmp(what, "copies")) {
        MPI_Request r;
        MPI_Comm copy;
        odd ? MPI_Comm_idup(MPI_COMM_WORLD, &copy, &r) : MPI_Ibarrier(MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else if (!strcmp(what, "gathers"))
        odd ? MPI_Gather(v, 1, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD)
            : MPI_Gatherv(v, 1, MPI_INT, out, ones, places, MPI_INT, 0, MPI_COMM_WORLD);
    else if (!strcmp(what, "scattered")) {
        ones[ranks - 1] = 2;
        MPI_Scatterv(v, ones, places, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (!strcmp(what, "scanned"))
        MPI_Scan(v, out, 1 + odd, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(what, "grids") || !strcmp(what, "periods")) {
        MPI_Comm grid;
        int dims[1] = {what[0] == 'g' && odd ? ranks - 1 : ranks}, periods[1] = {what[0] == 'p' && odd};
        MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
    } else if (!strcmp(what, "waits")) {
        MPI_Request r = MPI_REQUEST_NULL;
        odd ? MPI_Ibarrier(MPI_COMM_WORLD, &r) : MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else if (!strcmp(what, "files")) {
        MPI_File file;
        MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
        MPI_File_open(MPI_COMM_WORLD, "misuse.file", MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | (odd ? MPI_MODE_WRONLY : MPI_MODE_RDWR),
            MPI_INFO_NULL, &file);
    } else if (!strcmp(what, "deadlock"))
        MPI_Recv(v, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (!strcmp(what, "left"))
        odd ? MPI_SUCCESS : MPI_Barrier(MPI_COMM_WORLD);
    else if (!strncmp(what, "abort", 5)) {
        if (rank == atoi(what + 5))
            MPI_Abort(MPI_COMM_WORLD, 40 + rank);
        MPI_Recv(v, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else
        returned();
    MPI_Finalize();
    return 0;
}
