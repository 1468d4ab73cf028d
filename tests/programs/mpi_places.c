/* pc3-test: mpi ranks=7 */
/* Ranks that go to folders of their own, and make files there with masks of their own. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void meet(void)
{
#pragma pc3 checkpoint
    MPI_Barrier(MPI_COMM_WORLD);
}

static int number(const char *name)
{
    FILE *f = fopen(name, "r");
    int n = -1;
    if (f && fscanf(f, "%d", &n) != 1)
        n = -2;
    if (f)
        fclose(f);
    return n;
}

static void put(const char *name, int n)
{
    FILE *f = fopen(name, "w");
    fprintf(f, "%d\n", n);
    fclose(f);
}

int main(int argc, char **argv)
{
    int rank;
    char name[20];
    struct stat about;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sprintf(name, "folder%d", rank);
    mkdir(name, 0755);
    meet();
    /* The first stays where it is. */
    if (rank > 0 && chdir(name))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank % 2)
        umask(rank * 8 + 2);
    meet();
    put("mine", 10 * rank);
    meet();
    stat("mine", &about);
    show_all("mode", about.st_mode & 0777);
    show_all("mine", number("mine"));
    show_all("neighbour", number(rank ? "../folder1/mine" : "folder1/mine"));
    meet();
    if (rank == 3 && chdir(".."))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 4) {
        int fd = open("../folder5", O_RDONLY | O_DIRECTORY);
        if (fchdir(fd))
            MPI_Abort(MPI_COMM_WORLD, 1);
        close(fd);
    }
    meet();
    show_all("mine", number("mine"));
    char *where = getcwd(NULL, 0);
    meet();
    char *folder = strstr(where, "/folder");
    show_all("where", folder ? folder[7] - '0' : -1);
    put("last", rank);
    meet();
    show_all("last", number("last") >= 0);
    show_all("masks", (int)umask(022));
    return mpi_finish();
}
