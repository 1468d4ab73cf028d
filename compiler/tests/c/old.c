/* flags: -std=c89 -pedantic -Wall -Wextra */
#include <stdio.h>
void pc3_checkpoint(void);
static int n(int k)
{
    pc3_checkpoint();
    return k;
}
static int *save;
static int esc(int a)
{
    int x = 1, y[2] = { 3, 4 };
    int *p = &x;
    int z = n(a);
    save = y;
    *p += n(2);
    return x + y[1] + z + *save;
}
int main(void)
{
    int i, t = 0;
    for (i = 0; i < 3; i++)
        t += n(i) + esc(i);
    printf("%d\n", t);
    return 0;
}
