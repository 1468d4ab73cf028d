/* Compiles without a word, calls MPI, and holds static numbers in loops. */
#include <stdio.h>
int MPI_Init(int *, char ***);
int MPI_Finalize(void);
static double grid[8];
static int passes(int n)
{
    static int i, all;
    static float part;
    if (n > 3)
        for (i = 0; i < n; i++)
            if (grid[i] > 1)
                all++;
            else
                all--;
    else
        for (i = 0; i < n; i++)
            grid[i] += 1;
    do
        all++;
    while (--i > 0);
    while (i < n) {
        part += 1;
        i++;
    }
#pragma pc3 checkpoint
    for (i = 0; i < n; i++)
        part /= 2;
    return all + (int)part;
}
int main(int argc, char **argv)
{
    int k;
    MPI_Init(&argc, &argv);
    for (k = 0; k < 7; k++)
        printf("%d\n", passes(k));
    MPI_Finalize();
    return 0;
}
