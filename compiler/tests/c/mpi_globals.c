/* A program that calls MPI: its globals are the rank's own. */
#include <stdio.h>
int MPI_Init(int *, char ***);
int MPI_Finalize(void);
void pc3_checkpoint(void);
static int counter = 3, arr[10], *const fixed = &arr[2];
int *ptr;
double grid[4][5];
struct cfg { int a; char n[4]; } cfg = { 1, "xy" };
const int limit = 4;
static int n(int k) { static int calls; calls++; counter += k; pc3_checkpoint(); return calls; }
static double fill(void) { double s = 0; for (int i = 0; i < limit; i++) for (int j = 0; j < 5; j++) { grid[i][j] = i * j + n(i); s += grid[i][j]; } return s; }
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    ptr = &arr[3]; *ptr = n(4); ptr[1] = cfg.a + (int)sizeof arr + (int)sizeof grid;
    printf("%g %d %d %d %s\n", fill(), counter, arr[3], arr[4], cfg.n);
    struct cfg c = cfg; c.a += n(1); cfg = c; int *q = &counter; pc3_checkpoint(); *q += 1;
    printf("%d %d %d\n", cfg.a, counter, fixed != 0);
    MPI_Finalize();
    return 0;
}
