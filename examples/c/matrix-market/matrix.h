/* Sparse matrices in compressed rows, and how they come out of a Matrix Market file. */
#ifndef MATRIX_H
#define MATRIX_H

#include <stddef.h>

struct matrix {
    int rows, columns;
    int *start;    /* rows + 1 */
    int *column;   /* ascending within a row */
    double *value;
};

void *must_have(void *block); /* ends the program if there is no block */
void free_matrix(struct matrix *matrix);

/* Reads a coordinate file.  On failure returns 0 and leaves a message that names the file and
 * line.  A pattern has no values; it stands for the matrix with -1 at its places off the
 * diagonal and 1 + twice their number in the row on the diagonal. */
int read_matrix(const char *path, struct matrix *matrix, char *message, size_t room);

#endif
