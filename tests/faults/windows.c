/* pc3-test: mpi ranks=3 */
/* Wrong uses of windows, by name: `returned` prints the error classes of one rank's mistakes; `shared` and `any` have a window at a
 * location; `locked` waits for a lock that is never given back; `together` shares memory between locations. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

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

static void returned(MPI_Win w)
{
    int v[2] = {0};
    double d = 0;
    MPI_Aint size;
    int unit, *base;
    MPI_Win none = MPI_WIN_NULL;
    MPI_Group all;
    MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    show("no epoch", MPI_Put(v, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
    show("no lock", MPI_Win_unlock(0, w));
    show("no start", MPI_Win_complete(w));
    show("no post", MPI_Win_wait(w));
    show("nothing to flush", MPI_Win_flush(0, w));
    show("no window", MPI_Win_free(&none));
    show("an unknown assertion", MPI_Win_fence(7, w));
    show("an unknown lock", MPI_Win_lock(1, 0, 0, w));
    show("to attach to another window", MPI_Win_attach(w, v, sizeof v));
    show("to share another window", MPI_Win_shared_query(w, 0, &size, &unit, &base));
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
    show("a second lock", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w));
    show("another target", MPI_Put(v, 1, MPI_INT, 1, 0, 1, MPI_INT, w));
    show("a fence in a lock", MPI_Win_fence(0, w));
    show("freed in a lock", MPI_Win_free(&w));
    show("no rank", MPI_Put(v, 1, MPI_INT, 3, 0, 1, MPI_INT, w));
    show("a displacement below 0", MPI_Put(v, 1, MPI_INT, 0, -1, 1, MPI_INT, w));
    show("behind the end", MPI_Put(v, 2, MPI_INT, 0, 3, 2, MPI_INT, w));
    show("too much", MPI_Put(v, 2, MPI_INT, 0, 0, 1, MPI_INT, w));
    show("another type", MPI_Accumulate(&d, 1, MPI_DOUBLE, 0, 0, 2, MPI_INT, MPI_SUM, w));
    show("no operation", MPI_Accumulate(v, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, w));
    show("a number to compare", MPI_Compare_and_swap(&d, &d, &d, MPI_DOUBLE, 0, 0, w));
    MPI_Win_unlock(0, w);
    MPI_Comm_group(MPI_COMM_SELF, &all);
    MPI_Win_post(all, 0, w);
    show("a second post", MPI_Win_post(all, 0, w));
    MPI_Win_start(all, 0, w);
    show("a lock within", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w));
    MPI_Win_complete(w);
    MPI_Win_wait(w);
    MPI_Group_free(&all);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Memory that ranks of one process share for a while; the communicator stays. */
static int together(MPI_Comm *near)
{
    MPI_Win shared;
    MPI_Comm part;
    MPI_Info hardware;
    int *mine, *first, unit, size, sum = 0, sizes[3];
    MPI_Aint bytes;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part);
    if (part != MPI_COMM_NULL)
        return -1;
    MPI_Info_create(&hardware);
    MPI_Info_set(hardware, "mpi_hw_resource_type", "mpi_shared_memory");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, rank, hardware, near);
    MPI_Info_free(&hardware);
    MPI_Comm_size(*near, &size);
    MPI_Allgather(&size, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, *near, &mine, &shared);
    *mine = 1;
    MPI_Win_fence(0, shared);
    MPI_Win_shared_query(shared, 0, &bytes, &unit, &first);
    for (int i = 0; i < size; i++)
        sum += first[i];
    MPI_Win_fence(0, shared);
    MPI_Win_free(&shared);
    return sum == size ? sizes[0] * 100 + sizes[1] * 10 + sizes[2] : -1;
}

int main(int argc, char **argv)
{
    int memory[4] = {0}, *mine, *extra = memory;
    MPI_Win w, shared;
    const char *what = argc > 1 ? argv[1] : "any";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    if (!strcmp(what, "returned"))
        returned(w);
    if (!strcmp(what, "locked")) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(what, "shared")) {
        MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &shared);
        MPI_Win_set_name(shared, "ours");
        *(extra = mine) = rank;
    }
    MPI_Comm near = MPI_COMM_NULL;
    if (!strcmp(what, "together"))
        extra[0] = together(&near);
#pragma pc3 checkpoint
    extra[0]++;
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    if (rank == 0)
        printf("end %d\n", extra[0]);
    if (!strcmp(what, "shared"))
        MPI_Win_free(&shared);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
