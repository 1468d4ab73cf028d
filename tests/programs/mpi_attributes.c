/* pc3-test: mpi ranks=3 */
/* Attributes of communicators across locations: values that point into the heap, copied and
 * deleted by the program's callbacks. */
#include "mpi_check.h"

struct cache {
    int users;
    double values[3];
};

static int copies, deletions;

static int copy_cache(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    struct cache *cache = in;
    cache->users++;
    copies += *(int *)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_cache(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    struct cache *cache = value;
    deletions++;
    if (--cache->users == 0)
        free(cache);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static int weight = 10;
    int rank, key, plain, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm first, second;
    MPI_Comm_create_keyval(copy_cache, delete_cache, &key, &weight);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    struct cache *cache = malloc(sizeof *cache);
    if (!cache)
        MPI_Abort(MPI_COMM_WORLD, 1);
    *cache = (struct cache){1, {rank, 0.5, 2}};
    MPI_Comm_set_attr(first, key, cache);
    MPI_Comm_set_attr(first, plain, &weight);
#pragma pc3 checkpoint
    for (int step = 0; step < 4; step++) {
        MPI_Comm_dup(first, &second);
#pragma pc3 checkpoint
        struct cache *seen;
        int *value;
        MPI_Comm_get_attr(second, key, &seen, &found);
        seen->values[1] += found;
        show_all("cache", seen->users * 100 + (int)(seen->values[0] * 10 + seen->values[1]));
        MPI_Comm_get_attr(second, plain, &value, &found);
        show_all("not copied", found);
        MPI_Comm_get_attr(first, plain, &value, &found);
#pragma pc3 checkpoint
        show_all("plain", found ? *value + (value == &weight) : -1);
        weight++;
        if (step == 2)
            MPI_Comm_delete_attr(first, plain);
        MPI_Comm_free(&second);
    }
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &cache, &found);
    show_all("tags", found);
    MPI_Comm_free(&first);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free_keyval(&plain);
    show_all("copies", copies * 100 + deletions);
    return mpi_finish();
}
