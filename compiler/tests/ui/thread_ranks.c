#include <mpi.h>
#include <pc3.h>
#include <pthread.h>
static _Thread_local int mine;
static void *work(void *x) { return mine++, x; }
int main(int argc, char **argv) {
    pthread_t t;
    MPI_Init(&argc, &argv);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    pc3_checkpoint();
    return MPI_Finalize();
}
