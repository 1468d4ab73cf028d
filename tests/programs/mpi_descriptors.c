/* pc3-test: mpi ranks=5 */
/* Each rank has files of its own open, and all have the same input, by numbers that they keep: no two ranks have the same,
 * however many processes there are. */
#define _GNU_SOURCE
#include "mpi_check.h"

#include <fcntl.h>
#include <unistd.h>

static int rank, out, again, above, input, folder;
static FILE *log_file;
static int number;

static void put(int fd, const char *text, int n)
{
    char line[40];
    int length = sprintf(line, "%s %d of %d\n", text, n, rank);
    if (write(fd, line, (size_t)length) != length)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static int sum(const char *name)
{
    int fd = openat(folder, name, O_RDONLY), h = 0;
    unsigned char c;
    while (read(fd, &c, 1) == 1)
        h = h * 31 + c;
    close(fd);
    return h & 0xffffff;
}

static int next_of_input(void)
{
    char digits[3] = "";
    if (read(input, digits, 2) != 2)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return atoi(digits);
}

int main(int argc, char **argv)
{
    char name[40], other[40];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int made = open("descriptors.in", O_WRONLY | O_CREAT | O_TRUNC, 0644);
        for (int i = 10; i < 99; i++)
            dprintf(made, "%d", i);
        close(made);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    sprintf(name, "descriptors.%d", rank);
    sprintf(other, "descriptors.log.%d", rank);
    folder = open(".", O_RDONLY | O_DIRECTORY);
    input = open("descriptors.in", O_RDONLY);
    out = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    again = dup(out);
    above = fcntl(out, F_DUPFD, 40);
    log_file = fopen(other, "w");
    number = fileno(log_file);
    for (int step = 0; step < 6; step++) {
#pragma pc3 checkpoint
        put(step % 2 ? out : again, "step", step);
        put(above, "above", step);
        fprintf(log_file, "log %d\n", step);
        fflush(log_file);
        put(number, "number", step);
        show_all("input", next_of_input());
        if (step == 2) {
            close(again);
            again = dup(out);
        }
        if (step == 3 && rank % 2) {
            close(out);
            sprintf(name, "descriptors.more.%d", rank);
            out = creat(name, 0644);
        }
#pragma pc3 checkpoint
        show_all("own", above >= 40 && number == fileno(log_file) && fcntl(again, F_GETFD) == 0);
    }
    fclose(log_file);
    show_all("file", sum(name));
    show_all("log", sum(other));
    return mpi_finish();
}
