/* pc3-test: seq */
/* What would keep a program on its machine, in code that this run never comes to: bytes of structs with pointers kept as
 * characters, bytes of numbers, addresses kept as numbers that become pointers again. */
#include "check.h"

struct index { unsigned *count; long n; };
static unsigned char *image;
static size_t length;
static char packed[16];
static uintptr_t kept;

static void keep(const struct index *x)
{
    image = realloc(image, length + sizeof *x);
    memcpy(image + length, x, sizeof *x);
    length += sizeof *x;
}

static struct index *taken_back(void)
{
    struct index *x = malloc(sizeof *x);
    memcpy(x, image, sizeof *x);
    return x;
}

static int first_byte(int n)
{
    return *(unsigned char *)&n;
}

static void pack(double d)
{
    memcpy(packed, &d, sizeof d);
}

int main(int argc, char **argv)
{
    struct index x = { calloc(10, sizeof(unsigned)), 10 };
    int byte = 0;
    (void)argv;
    for (int i = 0; i < 20; i++) {
#pragma pc3 checkpoint
        x.count[i % 10] += i;
        if (argc > 1) {
            keep(&x);
            x.n += taken_back()->n;
            byte += first_byte(i);
            pack(i * .5);
            kept = (uintptr_t)x.count;
            x.count = (unsigned *)kept;
        }
        show("n", x.n + byte + packed[0]);
    }
    for (int i = 0; i < 10; i++)
        show("count", x.count[i]);
    return finish();
}
