#include "matrix.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1024 };

struct entry {
    int row, column;
    double value;
};

struct reader {
    const char *path;
    FILE *file;
    long line;
    char text[LONGEST_LINE + 2];
    char *message;
    size_t room;
    int symmetric, pattern, integer;
    int rows, columns;
    struct entry *entries; /* both halves of a symmetric matrix */
    size_t count;
};

void *must_have(void *block)
{
    if (!block) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

void free_matrix(struct matrix *matrix)
{
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
    matrix->start = matrix->column = NULL;
    matrix->value = NULL;
}

/* Always 0, for the callers to return. */
static int complain(struct reader *r, const char *format, ...)
{
    va_list args;
    int used = r->line > 0 ? snprintf(r->message, r->room, "%s:%ld: ", r->path, r->line)
                           : snprintf(r->message, r->room, "%s: ", r->path);
    if (used < 0 || (size_t)used >= r->room)
        return 0;
    va_start(args, format);
    vsnprintf(r->message + used, r->room - (size_t)used, format, args);
    va_end(args);
    return 0;
}

/* The next line into r->text; 0 at the end or if it is too long. */
static int next_line(struct reader *r, const char *wanted)
{
    r->line++;
    if (!fgets(r->text, sizeof r->text, r->file))
        return complain(r, ferror(r->file) ? "cannot be read" : "the file ends where %s should be", wanted);
    if (!strchr(r->text, '\n') && !feof(r->file))
        return complain(r, "line of more than %d characters", LONGEST_LINE);
    return 1;
}

static int is_blank(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return *text == '\0';
}

static int read_banner(struct reader *r)
{
    char word[5][32] = {"", "", "", "", ""};
    if (!next_line(r, "the header"))
        return 0;
    if (sscanf(r->text, "%31s %31s %31s %31s %31s", word[0], word[1], word[2], word[3], word[4]) != 5)
        return complain(r, "not a Matrix Market header of five words");
    for (int w = 0; w < 5; w++)
        for (char *c = word[w]; *c; c++)
            *c = (char)tolower((unsigned char)*c);
    if (strcmp(word[0], "%%matrixmarket") != 0 || strcmp(word[1], "matrix") != 0)
        return complain(r, "the header must begin with '%%%%MatrixMarket matrix'");
    if (strcmp(word[2], "coordinate") != 0)
        return complain(r, "format '%s' is not supported, only 'coordinate'", word[2]);
    r->pattern = strcmp(word[3], "pattern") == 0;
    r->integer = strcmp(word[3], "integer") == 0;
    if (!r->pattern && !r->integer && strcmp(word[3], "real") != 0)
        return complain(r, "field '%s' is not supported, only 'real', 'integer' and 'pattern'", word[3]);
    r->symmetric = strcmp(word[4], "symmetric") == 0;
    if (!r->symmetric && strcmp(word[4], "general") != 0)
        return complain(r, "symmetry '%s' is not supported, only 'general' and 'symmetric'", word[4]);
    return 1;
}

/* An integer of [low, high] at *text, which moves behind it. */
static int read_int(struct reader *r, char **text, const char *what, int low, int high, int *out)
{
    char *end;
    errno = 0;
    long value = strtol(*text, &end, 10);
    if (end == *text || (*end && !isspace((unsigned char)*end)))
        return complain(r, "expected %s", what);
    if (errno || value < low || value > high)
        return complain(r, "%s is not in %d .. %d", what, low, high);
    *text = end;
    *out = (int)value;
    return 1;
}

static int read_value(struct reader *r, char **text, double *out)
{
    char *end;
    if (r->integer) {
        int value = 0;
        if (!read_int(r, text, "the value", INT_MIN, INT_MAX, &value))
            return 0;
        *out = value;
        return 1;
    }
    *out = strtod(*text, &end);
    if (end == *text || (*end && !isspace((unsigned char)*end)))
        return complain(r, "expected a number as the value");
    if (*out - *out != 0)
        return complain(r, "the value is not finite");
    *text = end;
    return 1;
}

static int read_size(struct reader *r, int *stored)
{
    do {
        if (!next_line(r, "the line of sizes"))
            return 0;
    } while (r->text[0] == '%' || is_blank(r->text));
    char *text = r->text;
    if (!read_int(r, &text, "the number of rows", 1, INT_MAX - 1, &r->rows) ||
        !read_int(r, &text, "the number of columns", 1, INT_MAX - 1, &r->columns) ||
        !read_int(r, &text, "the number of entries", 0, INT_MAX / 2, stored))
        return 0;
    if (!is_blank(text))
        return complain(r, "more than three numbers in the line of sizes");
    if (r->rows != r->columns)
        return complain(r, "the matrix is not square (%d x %d)", r->rows, r->columns);
    return 1;
}

static int read_entries(struct reader *r)
{
    int stored = 0;
    size_t room = 16;
    if (!read_size(r, &stored))
        return 0;
    r->entries = must_have(malloc(room * sizeof *r->entries));
    for (int e = 0; e < stored;) {
        if (!next_line(r, "an entry"))
            return 0;
        if (r->text[0] == '%' || is_blank(r->text))
            continue;
        char *text = r->text;
        struct entry entry = {0, 0, 1};
        if (!read_int(r, &text, "the row", 1, r->rows, &entry.row) ||
            !read_int(r, &text, "the column", 1, r->columns, &entry.column) ||
            (!r->pattern && !read_value(r, &text, &entry.value)))
            return 0;
        if (!is_blank(text))
            return complain(r, "unexpected text after the entry");
        if (r->symmetric && entry.column > entry.row)
            return complain(r, "entry (%d, %d) of a symmetric matrix is above the diagonal", entry.row, entry.column);
        entry.row--;
        entry.column--;
        if (r->count + 2 > room) {
            room *= 2;
            r->entries = must_have(realloc(r->entries, room * sizeof *r->entries));
        }
        r->entries[r->count++] = entry;
        if (r->symmetric && entry.row != entry.column)
            r->entries[r->count++] = (struct entry){entry.column, entry.row, entry.value};
        e++;
    }
    while (fgets(r->text, sizeof r->text, r->file)) {
        r->line++;
        if (!is_blank(r->text) && r->text[0] != '%')
            return complain(r, "more entries than the %d announced", stored);
    }
    return 1;
}

static int by_place(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* Sorts the entries; the same place twice is an error, as in the format's definition. */
static int sort_entries(struct reader *r)
{
    qsort(r->entries, r->count, sizeof *r->entries, by_place);
    r->line = 0;
    for (size_t e = 1; e < r->count; e++)
        if (by_place(&r->entries[e - 1], &r->entries[e]) == 0)
            return complain(r, "entry (%d, %d) appears twice", r->entries[e].row + 1, r->entries[e].column + 1);
    return 1;
}

/* Diagonal: 1 + twice the neighbours; off the diagonal: -1. */
static void fill_pattern(struct reader *r)
{
    int *neighbours = must_have(calloc((size_t)r->rows, sizeof *neighbours));
    size_t kept = 0;
    for (size_t e = 0; e < r->count; e++)
        if (r->entries[e].row != r->entries[e].column) {
            neighbours[r->entries[e].row]++;
            r->entries[kept] = r->entries[e];
            r->entries[kept++].value = -1;
        }
    r->count = kept + (size_t)r->rows;
    r->entries = must_have(realloc(r->entries, r->count * sizeof *r->entries));
    for (int row = 0; row < r->rows; row++)
        r->entries[kept + (size_t)row] = (struct entry){row, row, 1.0 + 2 * neighbours[row]};
    free(neighbours);
    qsort(r->entries, r->count, sizeof *r->entries, by_place);
}

static const struct entry *find_entry(const struct reader *r, int row, int column)
{
    struct entry key = {row, column, 0};
    return r->count ? bsearch(&key, r->entries, r->count, sizeof key, by_place) : NULL;
}

/* A general file may hold a symmetric matrix; conjugate gradients need one. */
static int check_symmetry(struct reader *r)
{
    for (size_t e = 0; e < r->count; e++) {
        const struct entry *entry = &r->entries[e], *mirror = find_entry(r, entry->column, entry->row);
        if (!mirror || mirror->value != entry->value)
            return complain(r, "the matrix is not symmetric: see entry (%d, %d)", entry->row + 1, entry->column + 1);
    }
    return 1;
}

static void compress(const struct reader *r, struct matrix *matrix)
{
    matrix->rows = r->rows;
    matrix->columns = r->columns;
    matrix->start = must_have(malloc(((size_t)r->rows + 1) * sizeof *matrix->start));
    matrix->column = must_have(malloc((r->count + 1) * sizeof *matrix->column));
    matrix->value = must_have(malloc((r->count + 1) * sizeof *matrix->value));
    size_t e = 0;
    for (int row = 0; row < r->rows; row++) {
        matrix->start[row] = (int)e;
        for (; e < r->count && r->entries[e].row == row; e++) {
            matrix->column[e] = r->entries[e].column;
            matrix->value[e] = r->entries[e].value;
        }
    }
    matrix->start[r->rows] = (int)e;
}

int read_matrix(const char *path, struct matrix *matrix, char *message, size_t room)
{
    struct reader reader = {.path = path, .message = message, .room = room}, *r = &reader;
    r->file = fopen(path, "r");
    if (!r->file)
        return complain(r, "%s", strerror(errno));
    int ok = read_banner(r) && read_entries(r) && sort_entries(r);
    fclose(r->file);
    if (ok && r->pattern)
        fill_pattern(r);
    ok = ok && check_symmetry(r);
    if (ok)
        compress(r, matrix);
    free(r->entries);
    return ok;
}
