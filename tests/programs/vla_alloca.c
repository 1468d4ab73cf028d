/* pc3-test: seq */
/* Variable length arrays (one and two dimensions, as parameters, in loops) and alloca. */
#include "check.h"

#include <alloca.h>

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static long sum_rows(int rows, int columns, int table[rows][columns])
{
    long sum = 0;
    for (int r = 0; r < rows; r++) {
#pragma pc3 checkpoint
        for (int c = 0; c < columns; c++)
            sum += (long)(r + 1) * table[r][c];
    }
    return sum;
}

static long square(int n)
{
    int table[n][n + 1];
    for (int r = 0; r < n; r++)
        for (int c = 0; c <= n; c++)
            table[r][c] = r * 10 + c;
    table[n - 1][n] = tick(n);
#pragma pc3 checkpoint
    int *corner = &table[n - 1][n], (*row)[n + 1] = &table[n / 2];
    tick(0);
    return sum_rows(n, n + 1, table) + *corner + (*row)[1];
}

static long in_loop(int n)
{
    long sum = 0;
    for (int i = 1; i <= n; i++) {
        double line[i];
        for (int k = 0; k < i; k++)
            line[k] = k * 0.5;
#pragma pc3 checkpoint
        {
            char text[tick(i)];
            memset(text, 'a' + i, (size_t)i);
            text[i] = '\0';
            tick(0);
            sum += (long)(4 * line[i - 1]) + text[i - 1] + (long)strlen(text);
        }
    }
    return sum;
}

struct pair {
    int value;
    struct pair *previous;
};

static long with_alloca(int n)
{
    struct pair *last = NULL;
    for (int i = 0; i < n; i++) {
        struct pair *p = alloca(sizeof *p);
        p->value = tick(i);
        p->previous = last;
        last = p;
#pragma pc3 checkpoint
    }
    int *numbers = alloca((size_t)n * sizeof *numbers);
    for (int i = 0; i < n; i++)
        numbers[i] = i * i;
    tick(0);
    long sum = 0;
    for (; last; last = last->previous)
        sum = sum * 2 + last->value + numbers[last->value - 1];
    return sum;
}

int main(void)
{
    for (int n = 1; n < 5; n++)
        show("square", square(n));
    show("loop", in_loop(6));
    show("alloca", with_alloca(7));
    return finish();
}
