/* pc3-test: seq */
/* Static locals, also of one name in several functions, with addresses in their initialisers. */
#include "check.h"

static int base[4] = {10, 20, 30, 40};
int shared_total;

static int counter(void)
{
    static int count = 5;
#pragma pc3 checkpoint
    return count++;
}

static int *cursor(void)
{
    static int *count = &base[1], steps;
    steps++;
#pragma pc3 checkpoint
    if (steps % 3 == 0)
        count = base;
    return count++;
}

static const char *name(int i)
{
    static const char *const names[] = {"zero", "one", "two"};
    static char buffer[16];
#pragma pc3 checkpoint
    snprintf(buffer, sizeof buffer, "<%s>", names[i % 3]);
    return buffer;
}

static double running(double x)
{
    static struct {
        double sum;
        int count;
        double *where;
    } state = {0.25, 1, &state.sum};
    *state.where += x;
#pragma pc3 checkpoint
    return state.sum / ++state.count;
}

static unsigned fibonacci(unsigned n)
{
    static unsigned known[32];
    if (n < 2)
        return n;
    if (!known[n]) {
#pragma pc3 checkpoint
        known[n] = fibonacci(n - 1) + fibonacci(n - 2);
    }
    return known[n];
}

int main(void)
{
    for (int i = 0; i < 6; i++) {
        shared_total += counter();
        show("cursor", *cursor());
        const char *text = name(i);
        counter();
        show_text("name", text);
        show_real("running", running(i));
        {
            static int count;
            count += counter();
            show("block", count);
        }
    }
    show("fibonacci", fibonacci(30));
    show("total", shared_total);
    return finish();
}
