/* pc3-test: mpi ranks=3 */
/* Dynamic windows, attributes, names, info, handlers and errors. */
#include "mpi_check.h"

static int handled;

static void handler(MPI_Win *window, int *code, ...)
{
    int class;
    (void)window;
    MPI_Error_class(*code, &class);
    handled = handled * 10 + (class == MPI_ERR_RMA_SYNC ? 1 : class == MPI_ERR_RMA_RANGE ? 2 : 9);
}

static int deleted(MPI_Win window, int key, void *value, void *extra)
{
    (void)window;
    (void)key;
    *(int *)extra += *(int *)value;
    return MPI_SUCCESS;
}

/* A list whose elements lie with several ranks, and are found by their addresses. */
static int walk(int rank, int ranks, int *element)
{
    MPI_Win window;
    MPI_Aint at, *where = malloc(ranks * sizeof *where);
    int sum = 0, value;
    if (!where)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, element, sizeof *element);
    MPI_Get_address(element, &at);
    MPI_Allgather(&at, 1, MPI_AINT, where, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < ranks; i++) {
        int to = (rank + i) % ranks;
        MPI_Get(&value, 1, MPI_INT, to, where[to], 1, MPI_INT, window);
        MPI_Win_flush(to, window);
        sum = sum * 10 + value;
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window, element);
    MPI_Win_free(&window);
    free(where);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks, key, set, extra = 0, value, length, *cached = &value, *found, elements[4];
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Win window;
    MPI_Info info;
    MPI_Errhandler errors;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    value = rank + 5;
    for (int i = 0; i < 4; i++)
        elements[i] = (rank + i) % 7;
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", "true");
    MPI_Win_create(elements, sizeof elements, sizeof *elements, info, MPI_COMM_WORLD, &window);
    MPI_Info_free(&info);
    MPI_Win_set_name(window, "elements");
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, deleted, &key, &extra);
    MPI_Win_set_attr(window, key, cached);
    MPI_Win_create_errhandler(handler, &errors);
    MPI_Win_set_errhandler(window, errors);
    MPI_Errhandler_free(&errors);
#pragma pc3 checkpoint
    MPI_Win_get_name(window, name, &length);
    MPI_Win_get_attr(window, key, &found, &set);
    show_all(name, set && found == cached ? *found : -1);
    MPI_Win_get_attr(window, MPI_WIN_BASE, &found, &set);
    show_all("base", set && found == elements);
    MPI_Win_get_info(window, &info);
    MPI_Info_get(info, "same_size", 7, name, &set);
    MPI_Info_free(&info);
    show_all("info", set ? name[0] : 0);
#pragma pc3 checkpoint
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Put(&rank, 1, MPI_INT, 0, 4, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    show_all("errors", handled);
    for (int i = 0; i < 3; i++) {
        show_all("walk", walk(rank, ranks, &elements[i]));
#pragma pc3 checkpoint
        show_all("at", i);
    }
    MPI_Win_free(&window);
    MPI_Win_free_keyval(&key);
    show_all("deleted", extra);
    return mpi_finish();
}
