/* pc3-test: mpi ranks=4 */
/* Sessions without MPI_Init: communicators from process sets, one between two groups, buffers of a communicator and of a session. */
#include "check.h"

#include <mpi.h>

static int handled;

static void handler(MPI_Session *session, int *code, ...)
{
    int class;
    (void)session;
    MPI_Error_class(*code, &class);
    handled = handled * 10 + (class == MPI_ERR_ARG ? 1 : 9);
}

static int rank, ranks;

static void show_of(MPI_Comm comm, const char *what, int value)
{
    int all[4];
    MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
    mix((unsigned)value);
    if (rank == 0)
        printf("%s %d %d %d %d\n", what, all[0], all[1], all[2], all[3]);
}

/* The even ranks with the odd ones. */
static MPI_Comm across(MPI_Group all)
{
    MPI_Group groups[2];
    MPI_Comm between;
    int even[2] = {0, 2}, odd[2] = {1, 3};
    MPI_Group_incl(all, 2, even, &groups[0]);
    MPI_Group_incl(all, 2, odd, &groups[1]);
    MPI_Intercomm_create_from_groups(groups[rank % 2], rank % 2, groups[1 - rank % 2], 1 - rank % 2, "across", MPI_INFO_NULL,
        MPI_ERRORS_ARE_FATAL, &between);
    MPI_Group_free(&groups[0]);
    MPI_Group_free(&groups[1]);
    return between;
}

int main(void)
{
    int n, length, flag, sum = 0, sent[2], got[2];
    char name[64], value[16], *buffer, *other;
    void *back;
    MPI_Session session;
    MPI_Errhandler errors;
    MPI_Group all;
    MPI_Info info;
    MPI_Comm comm, between;
    MPI_Request request;
    MPI_Session_create_errhandler(handler, &errors);
    MPI_Session_init(MPI_INFO_NULL, errors, &session);
    MPI_Errhandler_free(&errors);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "all of them", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
#pragma pc3 checkpoint
    for (int i = 0; i < n; i++) {
        length = 0;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL);
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        MPI_Session_get_pset_info(session, name, &info);
        MPI_Info_get(info, "mpi_size", 15, value, &flag);
        MPI_Info_free(&info);
        show_of(comm, name, flag ? atoi(value) : -1);
    }
    MPI_Initialized(&flag);
    show_of(comm, "initialized", flag);
    between = across(all);
#pragma pc3 checkpoint
    buffer = malloc(4096);
    other = malloc(1024);
    MPI_Comm_attach_buffer(between, buffer, 4096);
    MPI_Session_attach_buffer(session, other, 1024);
    for (int i = 0; i < 2; i++) {
        sent[0] = rank * 10 + i;
        sent[1] = i;
        MPI_Bsend(sent, 2, MPI_INT, rank / 2, i, between);
    }
#pragma pc3 checkpoint
    for (int i = 1; i >= 0; i--) {
        MPI_Recv(got, 2, MPI_INT, rank / 2, i, between, MPI_STATUS_IGNORE);
        sum = sum * 100 + got[0] + got[1];
    }
    MPI_Comm_iflush_buffer(between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(between, &back, &length);
    show_of(comm, "buffer", (back == buffer) * 10000 + length);
    MPI_Session_detach_buffer(session, &back, &length);
    show_of(comm, "other", (back == other) * 10000 + length);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    MPI_Bsend(sent, 2, MPI_INT, rank ^ 1, 3, comm);
#pragma pc3 checkpoint
    MPI_Recv(got, 2, MPI_INT, rank ^ 1, 3, comm, MPI_STATUS_IGNORE);
    MPI_Buffer_flush();
    MPI_Buffer_detach(&back, &length);
    show_of(comm, "automatic", (back == MPI_BUFFER_AUTOMATIC) * 1000 + got[0]);
    show_of(comm, "sum", sum);
    MPI_Group_from_session_pset(session, "mpi://NOBODY", &all);
#pragma pc3 checkpoint
    MPI_Session_call_errhandler(session, MPI_ERR_ARG);
    show_of(comm, "handled", handled);
    free(buffer);
    free(other);
    MPI_Group_free(&all);
    MPI_Comm_free(&between);
    unsigned mine = check_sum, sums[4];
    MPI_Gather(&mine, 1, MPI_UNSIGNED, sums, 1, MPI_UNSIGNED, 0, comm);
    for (int r = 0; rank == 0 && r < ranks; r++)
        mix(sums[r]);
    if (rank == 0)
        finish();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return session == MPI_SESSION_NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}
