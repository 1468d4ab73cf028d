/* pc3-test: mpi ranks=5 */
/* Every rank runs its constructors and destructors, as a process of its own would. */
#include "mpi_check.h"

static int made, ends;
static char *name;

__attribute__((constructor)) static void make(void)
{
    made++;
    name = malloc(20);
    strcpy(name, "constructed");
}

__attribute__((destructor)) static void end(void)
{
    FILE *f = fopen("ended", "a");
    fprintf(f, "%d %s\n", ++ends, name);
    fclose(f);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sprintf(name + 3, "%d", rank);
    for (int i = 0; i < 4; i++) {
#pragma pc3 checkpoint
        MPI_Barrier(MPI_COMM_WORLD);
        made += 10 * i * (rank + 1);
    }
    show_all("made", made);
    show_all("ends", ends);
    show_all("name", name[3]);
    return mpi_finish();
}
