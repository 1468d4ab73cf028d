/* pc3-test: seq args=-n,7,--,rows,report */
/* Reads one file and writes another with fprintf, seeks in both, with options, tokens and random numbers. */
#define _GNU_SOURCE
#include "check.h"
#include <unistd.h>

static void make(const char *name, int rows)
{
    FILE *f = fopen(name, "w");
    for (int i = 0; i < rows; i++) {
        int first = rand() % 10000;
        fprintf(f, "%04d alpha%d,beta%d;gamma%d\n", first, rand() % 7, i, i * i);
#pragma pc3 checkpoint
    }
    fclose(f);
}

static void row(FILE *out, char *line, int n)
{
    fprintf(out, "row %d:", n);
    for (char *word = strtok(line, " ,;\n"); word; word = strtok(NULL, " ,;\n")) {
#pragma pc3 checkpoint
        fprintf(out, " [%s %d]", word, rand() % 100);
    }
    fputc('\n', out);
}

int main(int argc, char **argv)
{
    int rows = 0, c;
    while ((c = getopt(argc, argv, "n:v")) != -1) {
#pragma pc3 checkpoint
        rows = 10 * rows + (c == 'n' ? atoi(optarg) : 1);
    }
    srand(rows);
    make(argv[optind], rows);
    FILE *in = fopen(argv[optind], "r"), *out = fopen(argv[optind + 1], "w+");
    char line[100];
    fprintf(out, "%-20s\n", "rows so far:");
    for (int n = 0; fgets(line, sizeof line, in); n++) {
        long back = ftell(out);
        fseek(out, 13, SEEK_SET);
        fprintf(out, "%3d", n);
#pragma pc3 checkpoint
        fseek(out, back, SEEK_SET);
        row(out, line, n);
        if (n == 3) {
            fseek(in, -6, SEEK_CUR);
#pragma pc3 checkpoint
        }
    }
    fclose(in);
    rewind(out);
    while (fgets(line, sizeof line, out)) {
#pragma pc3 checkpoint
        show_text("report", line);
    }
    fclose(out);
    return finish();
}
