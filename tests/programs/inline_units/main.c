/* pc3-test: seq */
/* inline in its three meanings, tentative definitions, old-style and implicit declarations, over two units. */
#include "../check.h"
#include "shared.h"

int tentative;
int tentative;
int shared_array[];
static int (*chosen)(int);

extern inline __attribute__((gnu_inline)) int replaced(int x)
{
    return tick(x) + 1;
}

int replaced(int x)
{
#pragma pc3 checkpoint
    return tick(x) * 2;
}

int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

extern inline int standard(int x);

int shared_array[3];

int main(void)
{
    int before(), later(int);
    chosen = standard;
    for (int i = 0; i < 3; i++) {
        tentative += replaced(i) + internal(i);
        shared_array[i] = chosen(tentative);
#pragma pc3 checkpoint
        show("tentative", tentative);
        show("array", shared_array[i] + before(i, 2) + later(i));
    }
    return finish();
}
