#include <stdio.h>
#include <stdlib.h>
void pc3_checkpoint(void);
static int id(int k) { pc3_checkpoint(); return k; }
static double rows(int n, int m) {
    double row[m];
    double a[n][m], (*p)[m] = a, one[m];
    n = id(n); 
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * 10 + j + id(0);
    m = 1;
    for (int j = 0; j < (int)(sizeof(row) / sizeof(double)); j++) one[j] = id(j);
    pc3_checkpoint();
    p++;
    id(1);
    return (*p)[1] + one[2] + sizeof(row) + sizeof a + sizeof one + sizeof *p;
}
static int pointers(int n, int m) {
    int (*p)[n] = malloc(sizeof(int[3][n]));

    for (int i = 0; i < 3; i++) for (int j = 0; j < n; j++) p[i][j] = i + j * id(m);
    id(2);
    p++;
    id(3);
    int r = (*p)[1] + (*p)[n - 1] + p[1][0];
    free(p - 1);
    return r;
}
static int typeofs(int n) {
    int x = id(n), *px = &x;
    __typeof__(x) y = x + 1;
    __typeof__(*px) z = id(y);
    __typeof__(x) a[3] = { x, y, z };
    __typeof__(a) b = { 1, 2, 3 };
    int arr[n]; arr[0] = 4;
    int copy[n];
    __typeof__(arr[0]) e = arr[0];
    copy[0] = id(e);
    *px += id(1);
    { int x = 7; __typeof__(x) w = id(x); pc3_checkpoint(); y += w + x; }
    for (__typeof__(x) i = 0; i < 2; i++) y += id(i);
    struct { __typeof__(x) f; } s = { id(2) };
    id(0);
    return x + y + z + a[1] + b[2] + e + copy[0] + s.f + (int)sizeof(__typeof__(arr[0])) + (__typeof__(x))2.5;
}
int main(void) {
    for (int n = 3; n < 6; n++) {
        printf("%g\n", rows(n, n + 1));
        printf("%d\n", pointers(n, n + 1));
        printf("%d\n", typeofs(n));
    }
    return 0;
}
