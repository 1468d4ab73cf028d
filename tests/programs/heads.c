/* pc3-test: seq */
/* Points in heads of statements, initialisers and results, among others that are not: each is entered by itself. */
#include <stdio.h>

struct pair {
    int a;
    double b;
};

static int count;

static int next(int i)
{
    count += i & 3;
#pragma pc3 checkpoint
    return i * 5 % 17 + (count & 1);
}

static struct pair both(int i)
{
    struct pair p = { next(i), .5 * next(i + 1) };
    return p;
}

static int *at(int *list, int i)
{
    return list + next(i) % 4;
}

static double mixed(int n)
{
    const double scale = next(n) + .25;
    int list[4] = { next(1), n, next(2), next(n) + next(3) };
    const struct pair p = both(n);
    int x = next(4), y = x + next(5) * next(6), z;
    *at(list, n) += next(7);
    if (next(x) > 8)
        z = next(y);
    else if (n > 2 && next(n) > next(n - 1))
        z = next(2) ? next(3) : 4;
    else
        z = -1;
    switch (next(z & 7) % 4) {
    case 0:
        z += next(0);
        break;
    case 1: {
        int w = next(z & 3), v = w ? next(w) : 1;
        z += w * v;
    }
    /* fall through */
    case 2:
        z *= 2;
        if (next(1) & 1)
            break;
    default:
        do
            z -= next(2);
        while (next(z & 7) > 9 || z > 40);
    }
    for (int i = next(n) % 3, j = next(i); i < 3 && next(i) >= 0; i += 1 + (next(j) & 1)) {
        while (j > next(i + j) % 11)
            j -= ({ int k = next(j); if (next(k) > 3) k += next(1); k % 3 + 1; });
        z += i * j;
    }
    return scale * z + list[0] + list[1] * 2 + list[2] * 3 + list[3] * 4 + p.a + p.b + x - y + next(8);
}

int main(void)
{
    double sum = 0;
    int n;
    for (n = 0; n < 5; n++)
        if (mixed(n) > 100)
            sum += mixed(n) / 3;
        else
            sum -= mixed(next(n) % 5);
    printf("%.6f %d\n", sum, count);
    return next(n) & 0;
}
