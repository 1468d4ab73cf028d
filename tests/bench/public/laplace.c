/* A Poisson matrix of n by n points, factorised and solved. */
#include <stdio.h>
#include <stdlib.h>
#include <umfpack.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1, size = n * n, count = 0;
    int *start = malloc(sizeof(int) * (size + 1)), *row = malloc(sizeof(int) * 5 * size);
    double *value = malloc(sizeof(double) * 5 * size), *x = malloc(sizeof(double) * size);
    double *b = malloc(sizeof(double) * size), sum = 0;
    void *symbolic, *numeric;
    for (int i = 0; i < size; i++) {
        int near[5] = {i - n, i - 1, i, i + 1, i + n};
        start[i] = count;
        b[i] = 1 + i % 7;
        for (int k = 0; k < 5; k++) {
            int off = k == 1 ? i % n == 0 : k == 3 && i % n == n - 1;
            if (near[k] < 0 || near[k] >= size || off)
                continue;
            row[count] = near[k];
            value[count++] = k == 2 ? 4.5 : -1;
        }
    }
    start[size] = count;
    if (umfpack_di_symbolic(size, size, start, row, value, &symbolic, NULL, NULL) ||
        umfpack_di_numeric(start, row, value, symbolic, &numeric, NULL, NULL) ||
        umfpack_di_solve(UMFPACK_A, start, row, value, x, b, numeric, NULL, NULL))
        return 1;
    for (int i = 0; i < size; i++)
        sum += x[i];
    printf("%.12g\n", sum);
    umfpack_di_free_symbolic(&symbolic);
    umfpack_di_free_numeric(&numeric);
    free(start), free(row), free(value), free(x), free(b);
    return 0;
}
