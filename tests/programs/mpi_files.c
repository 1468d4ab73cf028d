/* pc3-test: mpi ranks=9 args=-x,3,--,tail */
/* Every rank has its own files, positions, buffers, tokens, options, directory streams and errno. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *own;
static int rank, ranks;

static void meet(void)
{
#pragma pc3 checkpoint
    MPI_Barrier(MPI_COMM_WORLD);
}

static int sum(const char *name)
{
    FILE *f = fopen(name, "r");
    int c, h = 0;
    while (f && (c = fgetc(f)) != EOF)
        h = h * 31 + c;
    fclose(f);
    return h;
}

static void write_own(const char *name)
{
    char line[60], *rest;
    own = fopen(name, "w+");
    if (rank % 3 == 0)
        setvbuf(own, NULL, _IOLBF, 0);
    for (int i = 0; i < 4; i++) {
        fprintf(own, "rank %d, line %d of %s;", rank, i, name);
        meet();
        fprintf(own, " half\n");
    }
    rewind(own);
    int words = 0;
    while (fgets(line, sizeof line, own)) {
        for (char *w = strtok_r(line, " ,;\n", &rest); w; w = strtok_r(NULL, " ,;\n", &rest))
            words = words * 3 + (int)strlen(w);
        meet();
    }
    show_all("words", words);
}

/* One file for all, each in its own part of it. */
static void write_common(void)
{
    int fd = open("common", O_RDWR | O_CREAT, 0644);
    unsigned char value;
    for (int i = 0; i < 3; i++) {
        lseek(fd, (rank * 3 + i) * (off_t)4, SEEK_SET);
        value = (unsigned char)(100 * rank + i);
        meet();
        if (write(fd, &value, 1) != 1)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    show_all("stands", (int)lseek(fd, 0, SEEK_CUR));
    lseek(fd, rank * 3 * (off_t)4, SEEK_SET);
    meet();
    unsigned char first = 0;
    if (read(fd, &first, 1) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    show_all("first", first);
    close(fd);
}

static void append(void)
{
    FILE *log = fopen("log", "a");
    for (int turn = 0; turn < ranks; turn++) {
        if (turn == rank)
            fprintf(log, "rank %d was here\n", rank), fflush(log);
        meet();
    }
    fclose(log);
    show_all("log", sum("log"));
}

static int listed(void)
{
    DIR *dir = opendir(".");
    struct dirent *e;
    int n = 0;
    while ((e = readdir(dir))) {
        if (!strncmp(e->d_name, "own.", 4))
            n++;
        if (n % 4 == rank % 4)
            errno = 20 + rank;
    }
    meet();
    rewinddir(dir);
    readdir(dir);
    meet();
    closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    char name[20];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int c, options = 0;
    while ((c = getopt(argc, argv, "x:")) != -1) {
        meet();
        options = 10 * options + c + atoi(optarg) * (rank + 1);
    }
    show_all("options", options + optind);
    sprintf(name, "own.%d", rank);
    write_own(name);
    write_common();
    append();
    show_all("listed", listed());
    errno = 30 + rank;
    meet();
    show_all("errno", errno);
    FILE *temporary = tmpfile();
    fprintf(temporary, "%d", rank * rank);
    meet();
    rewind(temporary);
    int back = -1;
    if (fscanf(temporary, "%d", &back) != 1)
        back = -2;
    show_all("temporary", back);
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    for (int i = 0; i <= rank; i++) {
        fprintf(memory, "%d ", i * rank);
        if (i == rank / 2)
            fflush(memory);
    }
    meet();
    fputs("end", memory);
    fclose(memory);
    meet();
    show_all("memory", (int)size * 100 + (int)strlen(text));
    fclose(own);
    show_all("own", sum(name));
    return mpi_finish();
}
