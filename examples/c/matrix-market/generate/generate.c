/* Writes test matrices in Matrix Market coordinate format to standard output.
 *
 * Usage: generate laplace NX NY    five-point Laplacian of an NX x NY grid, real symmetric
 *        generate cycle N          N vertices in a ring with chords, pattern general
 *        generate band N WIDTH     diagonally dominant band, integer general */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void laplace(int nx, int ny)
{
    printf("%%%%MatrixMarket matrix coordinate real symmetric\n");
    printf("%% five-point Laplacian of a grid of %d x %d points, points of a row first\n", nx, ny);
    printf("%d %d %d\n", nx * ny, nx * ny, nx * ny + (nx - 1) * ny + nx * (ny - 1));
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            int point = y * nx + x + 1;
            printf("%d %d 4.0\n", point, point);
            if (x + 1 < nx)
                printf("%d %d -1.0\n", point + 1, point);
            if (y + 1 < ny)
                printf("%d %d -1.0\n", point + nx, point);
        }
}

static void cycle(int n)
{
    printf("%%%%MatrixMarket matrix coordinate pattern general\n");
    printf("%% a ring of %d vertices; every fourth also reaches %d further\n", n, n / 3 + 1);
    int chords = 0;
    for (int v = 0; v < n; v += 4)
        chords++;
    printf("%d %d %d\n", n, n, 2 * n + 2 * chords);
    for (int v = 0; v < n; v++) {
        int next = (v + 1) % n, far = (v + n / 3 + 1) % n;
        printf("%d %d\n%d %d\n", v + 1, next + 1, next + 1, v + 1);
        if (v % 4 == 0)
            printf("%d %d\n%d %d\n", v + 1, far + 1, far + 1, v + 1);
    }
}

static void band(int n, int width)
{
    int elements = 0;
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            elements += abs(row - column) <= width;
    printf("%%%%MatrixMarket matrix coordinate integer general\n");
    printf("%% symmetric band of half width %d, diagonally dominant\n", width);
    printf("%d %d %d\n", n, n, elements);
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++)
            if (abs(row - column) <= width)
                printf("%d %d %d\n", row + 1, column + 1,
                       row == column ? 8 * width + row % 5 : -1 - (row + column) % 3);
}

int main(int argc, char **argv)
{
    int a = argc > 2 ? atoi(argv[2]) : 0, b = argc > 3 ? atoi(argv[3]) : 0;
    if (argc == 4 && strcmp(argv[1], "laplace") == 0 && a > 0 && b > 0)
        laplace(a, b);
    else if (argc == 3 && strcmp(argv[1], "cycle") == 0 && a >= 10)
        cycle(a);
    else if (argc == 4 && strcmp(argv[1], "band") == 0 && a > 0 && b > 0 && b < a)
        band(a, b);
    else {
        fprintf(stderr, "usage: generate laplace NX NY | cycle N (at least 10) | band N WIDTH\n");
        return 2;
    }
    return 0;
}
