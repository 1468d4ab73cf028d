/* pc3-test: seq pc3=-std=c99 */
/* Sums of float are rounded to float everywhere, also where the language is strict C. */
#include <stdio.h>

static float mix(float a, float b, float c)
{
    return a * b / (c + b) + c * (a - b) * b;
}

int main(void)
{
    volatile float a = 1.0f / 3, b = 3.1f, c = 7.7f;
    double sum = 0;
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 50; i++) {
            b += 0.37f * c - a * 8.1f;
            c = c * 1.01f + a / b;
            sum += mix(a, b, c);
        }
#pragma pc3 checkpoint
        printf("%d %.9g %.17g\n", round, (double)b, sum);
    }
    return 0;
}
