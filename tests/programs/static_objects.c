/* pc3-test: seq */
/* Objects without a name (compound literals of static storage); lengths and alignments that mention locals;
 * complex division as the compiler's own library does it. */
#include <complex.h>
#include "check.h"

struct item {
    const char *name;
    const int *list;
    struct item *next;
};

static struct item *fallback = &(struct item){"none", (int[]){9, 0}, 0};
static struct item *chain = &(struct item){"one", (int[]){1, 2, 3, 0}, &(struct item){"two", (const int[]){4, 0}, 0}};
int *numbers = (int[]){5, 6, 7};

static int total(struct item *from)
{
    int sum = 0;
    if (!from)
        from = fallback;
    for (; from; from = from->next) {
        for (const int *p = from->list; *p; p++) {
#pragma pc3 checkpoint
            sum += *p;
        }
        show_text("name", from->name);
    }
    return sum;
}

static int digits(unsigned short value)
{
    static struct {
        _Alignas(32) char text[8];
    } box;
    char reversed[3 * sizeof(value)];
    int n = 0;
    do {
#pragma pc3 checkpoint
        reversed[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (int i = 0; i < n; i++)
        box.text[i] = reversed[n - 1 - i];
    show_text("digits", box.text);
    return n + (int)__alignof__(box) + (int)sizeof reversed;
}

int main(void)
{
    show("chain", total(chain));
    chain->next->next = &(struct item){"three", numbers, 0};
    numbers[2] = 0;
    show("longer", total(chain));
    show("fallback", total(0));
    show("digits", digits(52791));
    double complex z = 1e200 + 3e-200 * I;
    for (int i = 1; i < 4; i++) {
#pragma pc3 checkpoint
        z = z / (1e190 / i + 1e-180 * I);
        show_real("real", creal(z));
        show_real("imaginary", cimag(z));
        z *= 1e195;
    }
    return finish();
}
