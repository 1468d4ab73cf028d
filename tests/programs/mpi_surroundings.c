/* pc3-test: mpi ranks=4 */
/* Each rank has its environment and its locale, as if it were a process of its own. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>

static int value(const char *name)
{
    const char *text = getenv(name);
    return text ? atoi(text) : -1;
}

static int environment(int rank)
{
    static char own[] = "OWN=10";
    char text[20];
    int sum = 0;
    snprintf(text, sizeof text, "%d", rank * 3);
    setenv("MINE", text, 1);
    if (rank % 2)
        putenv(own);
    else
        unsetenv("HOME");
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    sum += value("MINE") + 100 * value("OWN") + 10000 * (getenv("HOME") != NULL);
    own[4] = (char)('1' + rank);
    setenv("MINE", "77", rank == 2);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    sum = 3 * sum + value("MINE") + 100 * value("OWN");
    if (rank == 3)
        clearenv();
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    return 3 * sum + value("MINE") + (getenv("PATH") != NULL);
}

static int locale(int rank)
{
    const char *names[] = {"C", "POSIX", "no_SUCH", "C"};
    char *set = setlocale(rank == 3 ? LC_NUMERIC : LC_ALL, names[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    int sum = set ? (int)strlen(set) : -1;
    MPI_Barrier(MPI_COMM_WORLD);
#pragma pc3 checkpoint
    return 100 * sum + (int)strlen(setlocale(LC_ALL, NULL)) + 10 * (int)strlen(nl_langinfo(RADIXCHAR));
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    show_all("environment", environment(rank));
    show_all("locale", locale(rank));
    return mpi_finish();
}
