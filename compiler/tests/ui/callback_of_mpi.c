// Called by MPI and in another thread: locations are passed by.  What a pointer means is what is stored in it.
#include <mpi.h>
#include <pthread.h>
typedef int each(void *);
struct hooks {
    each *error;
};
static struct hooks hooks;
static each *reported;
static int tell(void *x) { return x != 0; }
static int step(void *x)
{
#pragma pc3 checkpoint
    return x != 0;
}
static int fail(void *x) { return hooks.error ? hooks.error(x) : reported(x); }
static void checked(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    *(int *)inout += *n < 0 ? fail(in) : *(int *)in;
}
static void stepping(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    *(int *)inout += step(in) + *n;
}
static void *worker(void *x)
{
    step(x);
    return x;
}
static int run(each *of)
{
    return of(0);
}
int main(int argc, char **argv)
{
    MPI_Op a, b;
    pthread_t thread;
    MPI_Init(&argc, &argv);
    hooks.error = tell;
    reported = tell;
    MPI_Op_create(checked, 1, &a);
    MPI_Op_create(stepping, 1, &b);
    pthread_create(&thread, 0, worker, &a);
    pthread_join(thread, 0);
    return run(step);
}
